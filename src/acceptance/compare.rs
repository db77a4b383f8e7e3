//! A case against what is committed: pictures exactly, words line by line.

use std::path::Path;

use super::picture::{self, Difference};
use super::record::Record;
use crate::drive::Shot;

/// Lines of a difference that are told; the files have the rest.
const TOLD: usize = 12;

/// What a comparison found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compared {
    /// What differs, in words; nothing: equal.
    pub reasons: Vec<String>,
    /// Where the pictures differ, if both are there and of one size.
    pub difference: Option<Difference>,
    /// Lines of the words that differ: `-` before, `+` after.
    pub lines: Vec<String>,
}

/// The names of a case's two files.
pub fn files(folder: &Path, case: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    (folder.join(format!("{case}.png")), folder.join(format!("{case}.json")))
}

/// Compares the files of a case in two folders. A file that is missing or unreadable is a difference.
pub fn compare(before: &Path, after: &Path, case: &str) -> Compared {
    let (old, new) = (files(before, case), files(after, case));
    let mut compared = Compared::default();
    match (read_picture(&old.0), read_picture(&new.0)) {
        (Ok(old), Ok(new)) if old.size != new.size => compared.reasons.push(format!(
            "the picture was {}x{} and is {}x{}",
            old.size.width, old.size.height, new.size.width, new.size.height
        )),
        (Ok(old), Ok(new)) => {
            compared.difference = picture::difference(&old, &new);
            if let Some(found) = &compared.difference {
                let [left, top, right, bottom] = found.within;
                let pixels = found.pixels;
                let words = format!("{pixels} pixels differ, from {left},{top} to {right},{bottom}");
                compared.reasons.push(words);
            }
        }
        (old, new) => {
            compared.reasons.extend(old.err().map(|why| format!("the committed picture {why}")));
            compared.reasons.extend(new.err().map(|why| format!("the new picture {why}")));
        }
    }
    match (read_record(&old.1), read_record(&new.1)) {
        (Ok(old), Ok(new)) => {
            for ((part, old), (_, new)) in old.parts().into_iter().zip(new.parts()) {
                if old != new {
                    compared.reasons.push(format!("the {part} differs"));
                    compared.lines.push(format!("{part}:"));
                    compared.lines.extend(changes(old, new));
                }
            }
        }
        (old, new) => {
            compared.reasons.extend(old.err().map(|why| format!("the committed tree {why}")));
            compared.reasons.extend(new.err().map(|why| format!("the new tree {why}")));
        }
    }
    compared
}

fn read_picture(path: &Path) -> Result<Shot, String> {
    let file = std::fs::read(path).map_err(|_| "is missing".to_owned())?;
    picture::decode(&file).map_err(|error| format!("is {error}"))
}

fn read_record(path: &Path) -> Result<Record, String> {
    let text = std::fs::read_to_string(path).map_err(|_| "is missing".to_owned())?;
    Record::read(&text).map_err(|error| format!("cannot be read: {error}"))
}

/// The lines between the equal beginning and the equal end, the old ones first.
fn changes(old: &[String], new: &[String]) -> Vec<String> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let told = |sign: char, lines: &[String]| {
        let lines = &lines[..lines.len() - end];
        let more = lines.len().saturating_sub(TOLD);
        let mut told: Vec<String> = lines.iter().take(TOLD).map(|line| format!("{sign} {line}")).collect();
        told.extend((more > 0).then(|| format!("{sign} and {more} more lines")));
        told
    };
    [told('-', old), told('+', new)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_what_lies_between_equal_beginning_and_end() {
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(changes(&lines("abcd"), &lines("abXcd")), ["+ X"]);
        assert_eq!(changes(&lines("abcd"), &lines("aYd")), ["- b", "- c", "+ Y"]);
        assert_eq!(changes(&lines("aaaa"), &lines("aa")), ["- a", "- a"]);
        assert_eq!(changes(&lines(&"x".repeat(20)), &[]).last().unwrap(), "- and 8 more lines");
    }
}

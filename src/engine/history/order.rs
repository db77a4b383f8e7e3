//! The server's order: merging a page's ids into known ones, and the cursors kept at page ends.

use std::collections::{BTreeMap, BTreeSet};

/// Where a page continues what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Older than what is known.
    Before,
    /// Newer than what is known.
    After,
}

/// Whether the two share an id.
pub(super) fn overlap<T: Ord>(have: &[T], page: &[T]) -> bool {
    let have: BTreeSet<&T> = have.iter().collect();
    page.iter().any(|id| have.contains(id))
}

/// Both lists in one order: the page's order holds; what only we have stays behind its
/// predecessor. Without a common id the page stands at `side`.
pub(super) fn merge<T: Ord + Clone>(have: &[T], page: &[T], side: Side) -> Vec<T> {
    let position: BTreeMap<&T, usize> = have.iter().enumerate().map(|(index, id)| (id, index)).collect();
    let in_page: BTreeSet<&T> = page.iter().collect();
    let own_run = |from: usize| have[from..].iter().take_while(|id| !in_page.contains(*id)).cloned();
    let mut merged = Vec::with_capacity(have.len() + page.len());
    let lead: Vec<T> = own_run(0).collect();
    if lead.len() == have.len() && side == Side::Before {
        merged.extend_from_slice(page);
        merged.extend(lead);
        return merged;
    }
    merged.extend(lead);
    for id in page {
        merged.push(id.clone());
        if let Some(&at) = position.get(id) {
            merged.extend(own_run(at + 1));
        }
    }
    merged
}

/// As [`merge`], but nothing of ours moves: ids of the page are put behind their predecessor.
pub(super) fn insert<T: Ord + Clone>(have: &mut Vec<T>, page: &[T], side: Side) {
    let known: BTreeSet<T> = have.iter().cloned().collect();
    let Some(first) = page.iter().position(|id| known.contains(id)) else {
        *have = merge(have, page, side);
        return;
    };
    let mut at = have.iter().position(|id| *id == page[first]).unwrap_or(0);
    have.splice(at..at, page[..first].iter().cloned());
    at += first;
    for id in &page[first + 1..] {
        if known.contains(id) {
            at = have.iter().position(|other| other == id).unwrap_or(at);
        } else {
            at += 1;
            have.insert(at, id.clone());
        }
    }
}

/// Cursors by the id at which they continue. A cursor is used only while that id is in the
/// window, so that pages always join what is there.
#[derive(Debug)]
pub(super) struct Marks<T> {
    /// Oldest id of a page and the cursor for what is older; `None`: nothing is.
    older: Vec<(T, Option<String>)>,
    /// Newest id of a page and a cursor for what is newer (read ascending).
    newer: Vec<(T, String)>,
}

impl<T> Default for Marks<T> {
    fn default() -> Self {
        Self { older: Vec::new(), newer: Vec::new() }
    }
}

impl<T: Ord + Clone> Marks<T> {
    /// Remembers a page that was read descending; `ids` in ascending order.
    pub(super) fn read_desc(&mut self, ids: &[T], next: Option<&String>, back: Option<&String>) {
        let (Some(oldest), Some(newest)) = (ids.first(), ids.last()) else { return };
        self.older.retain(|(id, _)| id != oldest);
        self.older.push((oldest.clone(), next.cloned()));
        if let Some(back) = back {
            self.newer.retain(|(id, _)| id != newest);
            self.newer.push((newest.clone(), back.clone()));
        }
    }

    /// Remembers a page that was read ascending; `ids` in ascending order.
    pub(super) fn read_asc(&mut self, ids: &[T], next: Option<&String>) {
        if let (Some(newest), Some(next)) = (ids.last(), next) {
            self.newer.retain(|(id, _)| id != newest);
            self.newer.push((newest.clone(), next.clone()));
        }
    }

    /// The cursor that continues at the oldest possible place; `None`: start at the newest.
    pub(super) fn older(&self, have: &[T]) -> Option<String> {
        let at = |id: &T| have.iter().position(|other| other == id);
        let marks = self.older.iter().filter_map(|(id, cursor)| Some((at(id)?, cursor.clone()?)));
        marks.min_by_key(|(at, _)| *at).map(|(_, cursor)| cursor)
    }

    /// The cursor that continues at the newest possible place; `None`: there is none.
    pub(super) fn newer(&self, have: &[T]) -> Option<String> {
        let at = |id: &T| have.iter().position(|other| other == id);
        let marks = self.newer.iter().filter_map(|(id, cursor)| Some((at(id)?, cursor)));
        marks.max_by_key(|(at, _)| *at).map(|(_, cursor)| cursor.clone())
    }

    /// Whether the server said that nothing is older than `id`.
    pub(super) fn is_first(&self, id: &T) -> bool {
        self.older.iter().any(|(oldest, cursor)| oldest == id && cursor.is_none())
    }

    /// Forgets the cursors at ids that left the window.
    pub(super) fn retain(&mut self, have: &[T]) {
        let have: BTreeSet<&T> = have.iter().collect();
        self.older.retain(|(id, _)| have.contains(id));
        self.newer.retain(|(id, _)| have.contains(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_joins_what_is_known_at_its_common_ids() {
        assert_eq!(merge(&[3, 4], &[1, 2, 3], Side::Before), [1, 2, 3, 4]);
        assert_eq!(merge(&[1, 2, 3], &[3, 4], Side::After), [1, 2, 3, 4]);
        assert_eq!(merge(&[3, 4], &[1, 2], Side::Before), [1, 2, 3, 4]);
        assert_eq!(merge(&[1, 2], &[3, 4], Side::After), [1, 2, 3, 4]);
        assert_eq!(merge(&[1, 3, 2, 9], &[1, 2, 3], Side::After), [1, 2, 9, 3]);
    }

    #[test]
    fn inserting_moves_nothing_that_is_there() {
        let mut have = vec![5, 3, 9];
        insert(&mut have, &[1, 3, 4, 5, 6], Side::After);
        assert_eq!(have, [5, 6, 1, 3, 4, 9]);
    }

    #[test]
    fn a_cursor_counts_only_while_its_id_is_in_the_window() {
        let mut marks = Marks::default();
        marks.read_desc(&[5, 6, 7], Some(&"older5".into()), Some(&"from7".into()));
        marks.read_desc(&[2, 3, 4], None, Some(&"from4".into()));
        assert!(marks.is_first(&2));
        assert_eq!(marks.older(&[3, 4, 5, 6, 7]).as_deref(), Some("older5"));
        assert_eq!(marks.newer(&[2, 3, 4, 5]).as_deref(), Some("from4"));
        marks.retain(&[6]);
        assert_eq!((marks.older(&[6]), marks.newer(&[6])), (None, None));
    }
}

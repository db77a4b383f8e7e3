//! The two files on the disk: locked, replaced in one step, never overwritten when broken.
//!
//! Reading takes no lock: a file is replaced whole, so any reader sees one version of it.
//! Editing locks, reads, changes, writes beside the file and renames. A file whose text cannot be
//! read is renamed to `NAME.broken-N` before anything new is written.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::base::limit;

/// Version of both files; a newer one is read as far as it is understood.
const VERSION: i64 = 1;
const LOCK_FILE: &str = ".lock";
/// Another Rejoin holds the lock for milliseconds; this long means that it hangs.
const LOCK_WAIT: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(5);
/// A reader is done in less than this many times [`POLL`].
const RENAME_RETRIES: u32 = 20;

/// The folder with the settings. Nothing is created before the first edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    dir: PathBuf,
}

/// A file's content with what there is to say about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded<D> {
    pub value: D,
    /// Counts the edits of the file by all processes; 0: there is none.
    pub revision: u64,
    /// To be shown once.
    pub notices: Vec<Notice>,
}

/// Something the user should know about a file. `Display` is for the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The file was not readable as settings and lies under another name now.
    KeptAside { file: &'static str, kept: PathBuf, why: String },
    /// It is not readable and could not be renamed: defaults are used, edits will be refused.
    Broken { file: &'static str, why: String },
    /// One value was not understood; the default is used, the file keeps its word.
    Field { file: &'static str, key: String },
    /// One profile was not understood, or its name is taken; the file keeps it.
    Profile { name: String },
    /// Written by a newer Rejoin.
    Newer { file: &'static str },
}

/// Why settings could not be read or saved. `Display` is for the screen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The platform names no configuration folder.
    #[error("this account has no settings folder; start with --settings FOLDER")]
    NoPlace,
    /// The file is there and the system does not let us read it.
    #[error("{} cannot be read ({source}); nothing was changed", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// Folder, lock or file cannot be written.
    #[error("{} cannot be written ({source}); what is saved there is unchanged", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Another process holds the lock.
    #[error("another Rejoin is busy with the settings in {}; try again", dir.display())]
    Busy { dir: PathBuf },
    /// The old file is broken and could not be kept aside.
    #[error("{} is not readable and could not be kept aside ({source}); it was not overwritten", path.display())]
    NotKept { path: PathBuf, source: io::Error },
    /// A value that TOML cannot hold, such as a path that is no Unicode.
    #[error("this cannot be saved as text ({0}); nothing was changed")]
    NotText(#[from] toml::ser::Error),
}

/// What a file holds: [`super::Settings`] or [`super::Profiles`].
pub trait Document: Clone + Default {
    /// Its name in the settings folder.
    const FILE: &'static str;

    /// Takes what is understood from the file's table; the rest becomes a notice and a default.
    fn read(table: &Table, notices: &mut Vec<Notice>) -> Self;

    /// Writes what differs from `before` into the file's table; `revision` is the one being written.
    fn write(&mut self, before: &Self, table: &mut Table, revision: u64) -> Result<(), toml::ser::Error>;
}

/// How a file turned out to be.
enum Text {
    Absent,
    Readable(Table),
    Broken(String),
}

impl Store {
    /// The platform's settings folder, or `dir`.
    ///
    /// # Errors
    /// [`Error::NoPlace`].
    pub fn open(dir: Option<PathBuf>) -> Result<Self, Error> {
        let platform = || directories::ProjectDirs::from("", "", "rejoin").map(|dirs| dirs.config_dir().to_owned());
        dir.or_else(platform).map(|dir| Self { dir }).ok_or(Error::NoPlace)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads a file. Absent is a default; broken is kept aside and a default.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn load<D: Document>(&self) -> Result<Loaded<D>, Error> {
        let loaded = self.inspect()?;
        if !loaded.notices.iter().any(|notice| matches!(notice, Notice::Broken { .. })) {
            return Ok(loaded);
        }
        // Again under the lock: another process may have mended it meanwhile.
        let Ok(_lock) = self.lock() else { return Ok(loaded) };
        let mut notices = Vec::new();
        match self.readable::<D>(&mut notices) {
            Ok(table) => Ok(understand(&table, notices)),
            Err(Error::NotKept { .. }) => Ok(loaded),
            Err(error) => Err(error),
        }
    }

    /// As [`Store::load`], and leaves everything as it is: a broken file is reported only.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn inspect<D: Document>(&self) -> Result<Loaded<D>, Error> {
        Ok(match self.text::<D>()? {
            Text::Absent => Loaded::default(),
            Text::Readable(table) => understand(&table, Vec::new()),
            Text::Broken(why) => Loaded { notices: vec![Notice::Broken { file: D::FILE, why }], ..Loaded::default() },
        })
    }

    /// Applies one edit to what the file holds now and saves it. Other processes' edits stay.
    ///
    /// Returns what is in the file afterwards. An edit that changes nothing writes nothing.
    ///
    /// # Errors
    /// Any; then the file is as it was.
    pub fn edit<D: Document + PartialEq>(&self, change: impl FnOnce(&mut D)) -> Result<Loaded<D>, Error> {
        let _lock = self.lock()?;
        let mut notices = Vec::new();
        let mut table = self.readable::<D>(&mut notices)?;
        let mut loaded: Loaded<D> = understand(&table, notices);
        let before = loaded.value.clone();
        change(&mut loaded.value);
        if loaded.value == before {
            return Ok(loaded);
        }
        let revision = loaded.revision + 1;
        loaded.value.write(&before, &mut table, revision)?;
        table.entry("version").or_insert(Value::Integer(VERSION));
        table.insert("revision".into(), Value::Integer(i64::try_from(revision).unwrap_or(i64::MAX)));
        self.replace(D::FILE, &toml::to_string_pretty(&table)?)?;
        loaded.revision = revision;
        Ok(loaded)
    }

    /// The table of a file; a broken file is moved aside first. Call it with the lock.
    fn readable<D: Document>(&self, notices: &mut Vec<Notice>) -> Result<Table, Error> {
        match self.text::<D>()? {
            Text::Absent => Ok(Table::new()),
            Text::Readable(table) => Ok(table),
            Text::Broken(why) => {
                let path = self.dir.join(D::FILE);
                let kept = self.free_name(D::FILE);
                fs::rename(&path, &kept).map_err(|source| Error::NotKept { path, source })?;
                notices.push(Notice::KeptAside { file: D::FILE, kept, why });
                Ok(Table::new())
            }
        }
    }

    fn free_name(&self, file: &str) -> PathBuf {
        let name = |n: u32| self.dir.join(format!("{file}.broken-{n}"));
        (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
    }

    fn text<D: Document>(&self) -> Result<Text, Error> {
        let path = self.dir.join(D::FILE);
        let mut bytes = Vec::new();
        match File::open(&path).and_then(|file| file.take(limit::SETTINGS_FILE + 1).read_to_end(&mut bytes)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Text::Absent),
            Err(source) => return Err(Error::Read { path, source }),
            Ok(_) => {}
        }
        if bytes.len() as u64 > limit::SETTINGS_FILE {
            return Ok(Text::Broken(format!("it is larger than {} KiB", limit::SETTINGS_FILE >> 10)));
        }
        let Ok(text) = String::from_utf8(bytes) else { return Ok(Text::Broken("it is not UTF-8 text".into())) };
        Ok(match text.parse::<Table>() {
            Ok(table) => Text::Readable(table),
            Err(error) => {
                let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
                Text::Broken(format!("line {line}: {}", error.message()))
            }
        })
    }

    /// Waits for the other processes. The lock ends with the file it returns.
    fn lock(&self) -> Result<File, Error> {
        let failed = |path: &Path, source| Error::Write { path: path.to_owned(), source };
        fs::create_dir_all(&self.dir).map_err(|error| failed(&self.dir, error))?;
        let path = self.dir.join(LOCK_FILE);
        let file = File::options().create(true).append(true).open(&path).map_err(|error| failed(&path, error))?;
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(&path, error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(Error::Busy { dir: self.dir.clone() });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(POLL),
            }
        }
    }

    fn replace(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.dir.join(file);
        let write = || -> io::Result<()> {
            let mut temporary = tempfile::NamedTempFile::new_in(&self.dir)?;
            temporary.write_all(text.as_bytes())?;
            temporary.as_file().sync_all()?;
            // On Windows a reader that has the old file open at this moment refuses the rename.
            for _ in 0..RENAME_RETRIES {
                match temporary.persist(&path) {
                    Err(busy) if busy.error.kind() == io::ErrorKind::PermissionDenied => temporary = busy.file,
                    done => return done.map(|_| ()).map_err(io::Error::from),
                }
                std::thread::sleep(POLL);
            }
            temporary.persist(&path)?;
            Ok(())
        };
        write().map_err(|source| Error::Write { path: path.clone(), source })
    }
}

/// One field of a table; what does not fit becomes a notice and `default`.
pub(super) fn field<T: DeserializeOwned>(
    table: &Table,
    file: &'static str,
    key: &str,
    default: T,
    notices: &mut Vec<Notice>,
) -> T {
    let Some(value) = table.get(key) else { return default };
    value.clone().try_into().unwrap_or_else(|_| {
        notices.push(Notice::Field { file, key: key.into() });
        default
    })
}

fn understand<D: Document>(table: &Table, mut notices: Vec<Notice>) -> Loaded<D> {
    if field(table, D::FILE, "version", VERSION, &mut notices) > VERSION {
        notices.push(Notice::Newer { file: D::FILE });
    }
    let revision = field(table, D::FILE, "revision", 0, &mut notices);
    let value = D::read(table, &mut notices);
    Loaded { value, revision, notices }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeptAside { file, kept, why } => {
                write!(f, "{file} could not be read ({why}). It is kept as {}; defaults are used.", kept.display())
            }
            Self::Broken { file, why } => {
                write!(f, "{file} could not be read ({why}). It was left as it is; defaults are used.")
            }
            Self::Field { file, key } => {
                write!(f, "\"{key}\" in {file} is not understood; the default is used, the file was left as it is.")
            }
            Self::Profile { name } => {
                write!(f, "The profile \"{name}\" is not understood or there twice; it was left in the file.")
            }
            Self::Newer { file } => {
                write!(f, "{file} was written by a newer Rejoin; what this one does not know is kept.")
            }
        }
    }
}

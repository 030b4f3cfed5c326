//! Record files: the games of a generation.
//!
//! A file holds the frames of some consecutive games of one generation. It is written whole under its final name,
//! and never changed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, iter};

use hippolyta_files::write_atomic;
use thiserror::Error;

use crate::frame::{self, FrameError, Frames};
use crate::record::GameRecord;

/// The largest record file that is read.
const MAX_FILE: u64 = 1 << 30;

/// The name of a record file, such as `00000640.games`; names sort as the games do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordName {
    /// The index of its first game in the generation.
    pub first_game: u32,
}

/// A text that is not the name of a record file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not the name of a record file: expected one like 00000640.games")]
pub struct RecordNameError(pub String);

impl fmt::Display for RecordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08}.games", self.first_game)
    }
}

impl FromStr for RecordName {
    type Err = RecordNameError;

    fn from_str(text: &str) -> Result<RecordName, RecordNameError> {
        let parse = || {
            let name = RecordName { first_game: text.strip_suffix(".games")?.parse().ok()? };
            // Only the spelling that is written, so that a name and its file are one to one.
            (name.to_string() == text).then_some(name)
        };
        parse().ok_or_else(|| RecordNameError(text.to_owned()))
    }
}

/// Where the record files of one generation are kept. Files are whole or not there, and are never changed.
pub trait RecordFiles: fmt::Debug + Sync {
    /// The files that are there, in the order of their games.
    ///
    /// # Errors
    /// When the place cannot be looked through.
    fn list(&self) -> io::Result<Vec<RecordName>>;

    /// The bytes of a file that is there.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than a record file may be.
    fn read(&self, name: RecordName) -> io::Result<Vec<u8>>;

    /// Puts a file that is not there.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, name: RecordName, bytes: &[u8]) -> io::Result<()>;

    /// Removes a damaged file, so that its games can be played again.
    ///
    /// # Errors
    /// When it cannot be removed.
    fn remove(&self, name: RecordName) -> io::Result<()>;

    /// How messages call a file.
    fn path(&self, name: RecordName) -> PathBuf;
}

/// Record files in a folder of their own, which is made when the first is written.
#[derive(Clone, Copy, Debug)]
pub struct RecordFolder<'a>(pub &'a Path);

impl RecordFiles for RecordFolder<'_> {
    fn list(&self) -> io::Result<Vec<RecordName>> {
        Ok(record_files(self.0)?.into_iter().map(|(name, _)| name).collect())
    }

    fn read(&self, name: RecordName) -> io::Result<Vec<u8>> {
        read_bytes(&self.path(name))
    }

    fn write(&self, name: RecordName, bytes: &[u8]) -> io::Result<()> {
        fs::create_dir_all(self.0)?;
        write_atomic(&self.path(name), |out| out.write_all(bytes))
    }

    fn remove(&self, name: RecordName) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    fn path(&self, name: RecordName) -> PathBuf {
        self.0.join(name.to_string())
    }
}

/// A frame that was set aside.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}: frame {frame}: {reason}", path.display())]
pub struct BadFrame {
    /// The file.
    pub path: PathBuf,
    /// The frame's index in the file, from 0.
    pub frame: usize,
    /// What is wrong with it.
    pub reason: FrameError,
}

/// What a record file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFile {
    /// The whole records, in the order of the file.
    pub records: Vec<GameRecord>,
    /// The frames that were set aside.
    pub bad: Vec<BadFrame>,
}

/// Why a record file was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// What the file system says.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A record that cannot be stored.
    #[error("game {game}: {source}")]
    Record {
        /// The game's index in its generation.
        game: u32,
        /// Why not.
        source: FrameError,
    },
}

/// Writes `records` as the file `name` of `files`: it appears whole or not at all.
///
/// # Errors
/// When a record is not valid or the file cannot be written.
pub fn write_records(
    files: &dyn RecordFiles,
    name: RecordName,
    records: &[GameRecord],
) -> Result<(), WriteError> {
    let mut bytes = Vec::new();
    for record in records {
        let game = record.game;
        frame::encode(record, &mut bytes).map_err(|source| WriteError::Record { game, source })?;
    }
    Ok(files.write(name, &bytes)?)
}

/// Reads a record file. Bad frames do not fail it: they are named in the answer, and the rest is read.
///
/// # Errors
/// When the file cannot be read, or is larger than 1 GiB.
pub fn read_records(path: &Path) -> io::Result<RecordFile> {
    Ok(parse_records(&read_bytes(path)?, path))
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > MAX_FILE {
        let message = format!("{}: {length} bytes are too many for a record file", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    Read::by_ref(&mut file).take(MAX_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether bytes are those of a record file, be it damaged: whether a frame begins somewhere in them. Text that
/// happens to hold the letters of a frame's mark is not.
pub fn is_record_file(bytes: &[u8]) -> bool {
    bytes.starts_with(&frame::MAGIC)
        || str::from_utf8(bytes).is_err()
            && bytes.windows(frame::MAGIC.len()).any(|window| window == frame::MAGIC)
}

/// Reads the bytes of a record file; `path` is what bad frames say they are from.
pub fn parse_records(bytes: &[u8], path: &Path) -> RecordFile {
    let mut answer = RecordFile::default();
    for (frame, found) in Frames::new(bytes).enumerate() {
        match found {
            Ok(record) => answer.records.push(record),
            Err(reason) => answer.bad.push(BadFrame { path: path.to_owned(), frame, reason }),
        }
    }
    answer
}

/// The record files of a folder, in the order of their games. Files of other names, unfinished ones among them, are
/// passed over; a folder that does not exist yet has none.
///
/// # Errors
/// When the folder cannot be read.
pub fn record_files(folder: &Path) -> io::Result<Vec<(RecordName, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
            files.push((name, entry.path()));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Reads the record files of a folder one after another, in the order of their games; holds one at a time.
///
/// # Errors
/// When the folder cannot be read. An item is an error when its file cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<RecordFile>> + use<>> {
    let mut files = record_files(folder)?.into_iter();
    Ok(iter::from_fn(move || files.next().map(|(_, path)| read_records(&path))))
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::testing::random_record;

    #[test]
    fn names_round_trip_and_sort_as_the_games_do() {
        let name = RecordName { first_game: 640 };
        assert_eq!(name.to_string(), "00000640.games");
        assert_eq!("00000640.games".parse(), Ok(name));
        for text in ["", "640.games", "00000640.game", "+0000640.games", "g000012-00000640.games"] {
            assert_eq!(text.parse::<RecordName>(), Err(RecordNameError(text.to_owned())));
        }
    }

    #[test]
    fn a_record_file_is_told_from_text() {
        assert!(is_record_file(b"HipG\x01"));
        assert!(is_record_file(b"\xFF\xFE\x00HipG"));
        assert!(!is_record_file("(;GM[18]C[HipG \u{e9}])".as_bytes()));
        assert!(!is_record_file(b"(;GM[18]C[\xE9])"));
    }

    #[test]
    fn a_folder_is_read_in_order_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let records: Vec<_> = (0..3).map(|seed| random_record(Board::SIX, seed)).collect();
        let (name, files) = (|first_game| RecordName { first_game }, RecordFolder(folder.path()));
        write_records(&files, name(2), &records[2..]).unwrap();
        write_records(&files, name(0), &records[..2]).unwrap();
        let path = files.path(name(0));
        fs::write(folder.path().join(".writing-x"), "half").unwrap();
        fs::write(folder.path().join("notes.txt"), "no records").unwrap();

        let read: Vec<_> = read_folder(folder.path()).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.iter().flat_map(|file| file.records.clone()).collect::<Vec<_>>(), records);

        let mut bytes = fs::read(&path).unwrap();
        bytes[40] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let file = read_records(&path).unwrap();
        assert_eq!(file.records, records[1..2]);
        assert_eq!(file.bad, [BadFrame { path: path.clone(), frame: 0, reason: FrameError::Checksum }]);
        let message = format!("{}: frame 0: the checksum does not match", path.display());
        assert_eq!(file.bad[0].to_string(), message);
        assert_eq!(record_files(&folder.path().join("none")).unwrap(), []);
    }
}

//! Frames: how records lie in a file one after another, so that damage to one spares the rest.
//!
//! A frame is a header of four little-endian fields of four bytes - [`MAGIC`], version, length of the payload, CRC-32
//! of version, length and payload - and the payload: the record's stored form in bincode (2.0.1, standard
//! configuration).

use bincode::config::{self, Config};
use thiserror::Error;

use crate::record::{GameRecord, RecordError};
use crate::wire::WireGame;

/// What every frame begins with.
pub(crate) const MAGIC: [u8; 4] = *b"HipG";
const VERSION: u32 = 2;
const HEADER: usize = 16;

/// The longest payload in bytes, which also bounds what reading one allocates: more than a 10x10 game of 92 plies
/// whose searches visit every move.
const MAX_PAYLOAD: usize = 4 << 20;

/// The most bad frames that are named one by one; no file that we write has so many frames.
const MOST_BAD: usize = 1000;

/// How often, on average, each byte may be part of a payload whose checksum fails. Ordinary damage stays near 1; only
/// headers that are made to claim each other's bytes take more.
const PATIENCE: usize = 8;

/// Why a frame was set aside.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FrameError {
    /// No frame starts where one should.
    #[error("no frame starts here")]
    Magic,
    /// The file ends inside the frame.
    #[error("cut short: {found} of {expected} bytes")]
    Short {
        /// Bytes that are there.
        found: usize,
        /// Bytes that the frame should have.
        expected: usize,
    },
    /// A version that this program does not read.
    #[error("version {0}, but this program reads version {VERSION}")]
    Version(u32),
    /// A payload longer than any record.
    #[error("a payload of {0} bytes, but at most {MAX_PAYLOAD} are allowed")]
    Length(usize),
    /// Damaged bytes.
    #[error("the checksum does not match")]
    Checksum,
    /// A payload that is no record's stored form.
    #[error("the payload cannot be decoded: {0}")]
    Decode(String),
    /// So much damage that the rest of the file is not searched for records.
    #[error("too much is damaged: the last {0} bytes are not read")]
    GivenUp(usize),
    /// A record that contradicts itself or the rules.
    #[error(transparent)]
    Record(#[from] RecordError),
}

fn format() -> impl Config {
    config::standard().with_limit::<MAX_PAYLOAD>()
}

/// Appends the record's frame to `out`.
///
/// # Errors
/// When the record does not pass [`GameRecord::check`], or is longer than any game can be; `out` is then as before.
pub(crate) fn encode(record: &GameRecord, out: &mut Vec<u8>) -> Result<(), FrameError> {
    record.check()?;
    let payload = bincode::serde::encode_to_vec(WireGame::from(record), format())
        .map_err(|error| FrameError::Decode(error.to_string()))?;
    if payload.len() > MAX_PAYLOAD {
        return Err(FrameError::Length(payload.len()));
    }
    let length = payload.len() as u32;
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(checksum(VERSION, length, &payload).to_le_bytes());
    out.extend(payload);
    Ok(())
}

/// Reads frames from a file's bytes, each a record or the reason why there is none. After damage it goes on with the
/// next frame that is whole, so that one damaged frame costs one record. It takes time linear in the bytes, whatever
/// they are.
#[derive(Clone, Debug)]
pub(crate) struct Frames<'a> {
    bytes: &'a [u8],
    /// The bad frames so far.
    bad: usize,
    /// How many bytes may still be added up for checksums that fail.
    patience: usize,
}

impl<'a> Frames<'a> {
    /// The frames in `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Frames<'a> {
        Frames { bytes, bad: 0, patience: PATIENCE * bytes.len() + MAX_PAYLOAD }
    }
}

impl Iterator for Frames<'_> {
    type Item = Result<GameRecord, FrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let found = match frame(self.bytes, &mut self.patience) {
            Ok((payload, rest)) => {
                self.bytes = rest;
                decode(payload)
            }
            Err(error) => match resume_at(self.bytes, &mut self.patience).filter(|_| self.bad < MOST_BAD) {
                Some(at) => {
                    self.bytes = &self.bytes[at..];
                    Err(error)
                }
                None => Err(FrameError::GivenUp(std::mem::take(&mut self.bytes).len())),
            },
        };
        self.bad += usize::from(found.is_err());
        Some(found)
    }
}

fn decode(payload: &[u8]) -> Result<GameRecord, FrameError> {
    let (wire, read): (WireGame, usize) = bincode::serde::decode_from_slice(payload, format())
        .map_err(|error| FrameError::Decode(error.to_string()))?;
    if read != payload.len() {
        return Err(FrameError::Decode(format!("{} bytes are left over", payload.len() - read)));
    }
    Ok(GameRecord::try_from(wire)?)
}

/// The payload of the frame at the front of `bytes`, and what follows the frame. A checksum that fails costs
/// `patience` its length.
fn frame<'a>(bytes: &'a [u8], patience: &mut usize) -> Result<(&'a [u8], &'a [u8]), FrameError> {
    let found = bytes.len();
    if !bytes.starts_with(&MAGIC[..found.min(MAGIC.len())]) {
        return Err(FrameError::Magic);
    }
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Err(FrameError::Short { found, expected: HEADER });
    };
    let [version, length, crc] = [4, 8, 12].map(|at| word(header, at));
    if version != VERSION {
        return Err(FrameError::Version(version));
    }
    if length as usize > MAX_PAYLOAD {
        return Err(FrameError::Length(length as usize));
    }
    let Some((payload, rest)) = rest.split_at_checked(length as usize) else {
        return Err(FrameError::Short { found, expected: HEADER + length as usize });
    };
    if checksum(version, length, payload) != crc {
        *patience = patience.saturating_sub(payload.len());
        return Err(FrameError::Checksum);
    }
    Ok((payload, rest))
}

/// Where to go on after the bad frame at the front of `bytes`: right behind it when its length still leads to a
/// frame or to the end, else at the next frame that is whole. `None` when the patience is at its end.
fn resume_at(bytes: &[u8], patience: &mut usize) -> Option<usize> {
    if let Some(header) = bytes.first_chunk::<HEADER>().filter(|header| header.starts_with(&MAGIC)) {
        let behind = HEADER + word(header, 8) as usize;
        if bytes.len() == behind || bytes.get(behind..).is_some_and(|rest| rest.starts_with(&MAGIC)) {
            return Some(behind);
        }
    }
    for at in 1..bytes.len() {
        if frame(&bytes[at..], patience).is_ok() {
            return Some(at);
        }
        if *patience == 0 {
            return None;
        }
    }
    Some(bytes.len())
}

fn word(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn checksum(version: u32, length: u32, payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&version.to_le_bytes());
    crc.update(&length.to_le_bytes());
    crc.update(payload);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_record;

    fn file(records: &[GameRecord]) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        for record in records {
            starts.push(bytes.len());
            encode(record, &mut bytes).unwrap();
        }
        starts.push(bytes.len());
        (bytes, starts)
    }

    fn records() -> Vec<GameRecord> {
        [(Board::SIX, 1), (Board::EIGHT, 2), (Board::SIX, 3)]
            .map(|(board, seed)| random_record(board, seed))
            .into()
    }

    #[test]
    fn gives_back_what_was_written() {
        let records = records();
        let (bytes, _) = file(&records);
        let read: Vec<_> = Frames::new(&bytes).map(Result::unwrap).collect();
        assert_eq!(read, records);
    }

    /// Old files must stay readable: when this changes, the version must too.
    #[test]
    fn the_format_stays_the_same() {
        let mut records = records();
        // The bounds that margins come from may become tighter; that changes no format.
        for record in &mut records {
            record.outcome.white_margin = record.outcome.white_margin.signum();
        }
        let (bytes, _) = file(&records);
        assert_eq!((bytes.len(), crc32fast::hash(&bytes)), (3406, 3_764_802_667));
    }

    #[test]
    fn a_file_cut_at_any_byte_keeps_its_whole_frames() {
        let records = records();
        let (bytes, starts) = file(&records);
        for length in 0..bytes.len() {
            let whole = starts[1..].iter().filter(|end| **end <= length).count();
            let mut frames = Frames::new(&bytes[..length]);
            for record in &records[..whole] {
                assert_eq!(frames.next().unwrap().as_ref(), Ok(record));
            }
            if length > starts[whole] {
                let short = frames.next();
                assert!(matches!(short, Some(Err(FrameError::Short { .. }))), "{length}: {short:?}");
            }
            assert_eq!(frames.next(), None, "{length}");
        }
    }

    #[test]
    fn a_flipped_bit_costs_one_record_and_keeps_the_frame_numbers() {
        let records = records();
        let (bytes, starts) = file(&records);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let hit = starts[1..].iter().filter(|end| **end <= at).count();
            let read: Vec<_> = Frames::new(&damaged).collect();
            assert_eq!(read.len(), records.len(), "byte {at}");
            for (frame, (found, record)) in read.iter().zip(&records).enumerate() {
                assert_eq!(found.as_ref().ok(), (frame != hit).then_some(record), "byte {at}");
            }
        }
    }

    #[test]
    fn neighbouring_bad_frames_are_named_one_by_one() {
        let records = records();
        let (mut bytes, starts) = file(&records);
        bytes[starts[1] - 1] ^= 1;
        bytes[starts[2] - 1] ^= 1;
        let read: Vec<_> = Frames::new(&bytes).collect();
        let bad = Err(FrameError::Checksum);
        assert_eq!(read, [bad.clone(), bad, Ok(records[2].clone())]);
    }

    /// Each of these took minutes, or all memory.
    #[test]
    fn gives_up_on_files_that_are_made_to_be_slow() {
        let (good, _) = file(&records()[..1]);
        let header = |length: u32| [MAGIC, VERSION.to_le_bytes(), length.to_le_bytes(), [0; 4]].concat();
        let claims_the_rest = header(MAX_PAYLOAD as u32 - 7).repeat(1 << 20);
        let among_good = [header(MAX_PAYLOAD as u32 - 7), good.clone()].concat().repeat(8 << 10);
        let claims_nothing = header(0).repeat(1 << 20);
        for (bytes, bad) in [(claims_the_rest, 1), (among_good, MOST_BAD + 1), (claims_nothing, MOST_BAD + 1)]
        {
            let read: Vec<_> = Frames::new(&bytes).collect();
            let given_up = read.iter().filter(|found| matches!(found, Err(FrameError::GivenUp(_)))).count();
            assert_eq!(given_up, 1);
            assert!(read.iter().filter(|found| found.is_err()).count() <= bad);
        }
        // So much ordinary damage does not exhaust it.
        let mut bytes = good.repeat(MOST_BAD);
        let length = good.len();
        (0..MOST_BAD).step_by(2).for_each(|frame| bytes[frame * length + length / 2] ^= 1);
        assert_eq!(Frames::new(&bytes).flatten().count(), MOST_BAD / 2);
    }

    #[test]
    fn says_why_a_whole_frame_is_refused() {
        let frame = |version: u32, payload: &[u8]| {
            let length = payload.len() as u32;
            let crc = checksum(version, length, payload).to_le_bytes();
            [&MAGIC, &version.to_le_bytes(), &length.to_le_bytes(), &crc, payload].concat()
        };
        let only = |bytes: &[u8]| {
            let mut frames = Frames::new(bytes);
            let first = frames.next().unwrap().unwrap_err();
            assert_eq!(frames.next(), None);
            first
        };
        assert_eq!(only(&frame(1, b"")), FrameError::Version(1));
        assert!(matches!(only(&frame(VERSION, b"")), FrameError::Decode(_)));
        assert!(matches!(only(&frame(VERSION, &[0xFF; 300])), FrameError::Decode(_)));
        assert_eq!(only(&frame(VERSION, &vec![0; MAX_PAYLOAD + 1])), FrameError::Length(MAX_PAYLOAD + 1));

        let mut record = random_record(Board::SIX, 1);
        record.moves.swap(2, 4);
        let payload = bincode::serde::encode_to_vec(WireGame::from(&record), format()).unwrap();
        assert!(matches!(
            only(&frame(VERSION, &payload)),
            FrameError::Record(RecordError::Move { ply: 2, .. })
        ));
        let mut out = vec![7];
        assert!(matches!(encode(&record, &mut out), Err(FrameError::Record(_))));
        assert_eq!(out, [7]);
    }

    /// A length of many elements in front of few bytes must not be believed.
    #[test]
    fn allocates_no_more_than_the_payload_can_hold() {
        let record = random_record(Board::SIX, 1);
        let payload = bincode::serde::encode_to_vec(WireGame::from(&record), format()).unwrap();
        let length = payload.windows(2).position(|pair| pair == [record.moves.len() as u8, 1]);
        for at in 0..payload.len().min(length.unwrap_or(150) + 200) {
            let mut huge = payload[..at].to_vec();
            huge.extend([0xFD; 9]);
            assert!(decode(&huge).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(
            junk in prop::collection::vec(any::<u8>(), 0..200),
            at in any::<prop::sample::Index>(),
        ) {
            let (bytes, _) = file(&records()[..1]);
            let at = at.index(bytes.len());
            let spliced = [&bytes[..at], &junk, &bytes[at..]].concat();
            for bytes in [&junk, &spliced, &[&MAGIC[..], &junk].concat()] {
                prop_assert!(Frames::new(bytes).count() <= bytes.len());
            }
            prop_assert_eq!(Frames::new(&[&junk[..], &bytes].concat()).last().and_then(Result::ok), records().first().cloned());
            let _ = decode(&junk);
        }

        /// Behind a checksum that fits, every single change of the payload is refused or reads as a valid record.
        #[test]
        fn a_changed_payload_never_reads_as_an_invalid_record(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let record = random_record(Board::SIX, 1);
            let mut payload = bincode::serde::encode_to_vec(WireGame::from(&record), format()).unwrap();
            let at = at.index(payload.len());
            payload[at] = byte;
            if let Ok(read) = decode(&payload) {
                prop_assert_eq!(read.check(), Ok(()));
            }
        }
    }
}

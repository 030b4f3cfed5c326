//! The file that a network is kept in: safetensors, with one JSON object beside the tensors.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::calibration::{Calibration, CalibrationError, TrunkBits};
use crate::kernel::Precision;
use crate::spec::NetSpec;
use crate::weights::{Weights, WeightsError};

/// Newest version of the layout. [`ModelFile::to_bytes`] writes the oldest that knows what it has to say: since version
/// 2 int8 ranges are known channel by channel, since version 3 the trunk's activations may be of seven bits.
pub const FORMAT_VERSION: u32 = 3;

/// Oldest version of the layout that is read; such a model plays as it did.
pub const OLDEST_FORMAT: u32 = 1;

/// Largest file that is read, in bytes: far above the largest network that a spec allows.
const LARGEST: u64 = 2 << 30;

/// The key of the JSON object in the safetensors header. One key, because the header's other keys come in no
/// fixed order, and the same network should give the same bytes.
const METADATA_KEY: &str = "hippolyta";

/// A network with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile {
    /// Spec and tensors.
    pub weights: Weights,
    /// What int8 inference needs; without it the network runs as f32 or bf16.
    pub calibration: Option<Calibration>,
    /// Where it comes from, free keys such as run, generation, games, positions and seed.
    pub history: BTreeMap<String, String>,
}

/// The JSON object in the header.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format: u32,
    spec: NetSpec,
    calibration: Option<Calibration>,
    history: BTreeMap<String, String>,
    hash: String,
}

/// Reads the version alone, so that a newer layout is refused by its number and not by its first new key.
#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

/// Why a model file cannot be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file system's word.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The bytes are no model; `path` says which file they are from.
    #[error("{}: {source}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ModelError,
    },
}

/// Why bytes are not a model.
#[derive(Debug, Error)]
pub enum ModelError {
    /// Too long to be a network.
    #[error("{0} bytes, more than a model of any allowed size")]
    TooLarge(u64),
    /// Truncated, or something else than safetensors.
    #[error("not a safetensors file: {0}")]
    NotSafetensors(String),
    /// Safetensors of another program.
    #[error("no {METADATA_KEY} metadata: a safetensors file, but not a model of this program")]
    Foreign,
    /// The JSON object is not as it should be.
    #[error("metadata: {0}")]
    Metadata(String),
    /// Written by another version of this program.
    #[error("format version {0}, this build reads {OLDEST_FORMAT} to {FORMAT_VERSION}")]
    Version(u32),
    /// A tensor is stored in another type than f32.
    #[error("tensor {name} is of type {found}, expected F32")]
    Type {
        /// The tensor.
        name: String,
        /// Its type.
        found: String,
    },
    /// The tensors do not make the network that the spec describes.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The int8 ranges do not fit the network.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// The content is not what was written.
    #[error("content hash is {found}, the file says {expected}: damaged or edited")]
    Hash {
        /// Hash of the content.
        found: String,
        /// Hash in the metadata.
        expected: String,
    },
}

impl ModelFile {
    /// What the network is to be played with: int8 where its ranges are known, unless int8 was measured to be too far
    /// from f32, then bf16; f32 where nothing is known.
    pub fn precision(&self) -> Precision {
        match &self.calibration {
            Some(calibration) if calibration.allows_int8() => Precision::Int8,
            Some(_) => Precision::Bf16,
            None => Precision::F32,
        }
    }

    /// SHA-256 over spec, calibration and tensors, in hexadecimal: what decides how the network plays. The
    /// history does not count.
    pub fn hash(&self) -> String {
        let mut sha = Sha256::new();
        let head = serde_json::to_vec(&(self.weights.spec(), &self.calibration));
        sha.update(head.expect("plain structs of numbers become JSON"));
        for (tensor, data) in self.weights.iter() {
            sha.update(tensor.name.as_bytes());
            sha.update([0]);
            sha.update(to_bytes(data));
        }
        sha.finalize().iter().fold(String::new(), |mut text, byte| {
            use std::fmt::Write as _;
            write!(text, "{byte:02x}").expect("writing to a string does not fail");
            text
        })
    }

    /// The oldest version of the layout that says all of it, so that older builds read what they can play.
    fn format(&self) -> u32 {
        match &self.calibration {
            Some(Calibration { trunk_bits: TrunkBits::Seven, .. }) => 3,
            Some(Calibration { channels: Some(_), .. }) => 2,
            _ => OLDEST_FORMAT,
        }
    }

    /// The whole file. The same content gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let metadata = Metadata {
            format: self.format(),
            spec: self.weights.spec().clone(),
            calibration: self.calibration.clone(),
            history: self.history.clone(),
            hash: self.hash(),
        };
        let json = serde_json::to_string(&metadata).expect("plain structs and strings become JSON");
        let stored: Vec<_> = self.weights.iter().map(|(tensor, data)| (tensor, to_bytes(data))).collect();
        let views = stored.iter().map(|(tensor, bytes)| {
            let view = TensorView::new(Dtype::F32, tensor.shape.clone(), bytes);
            (tensor.name.as_str(), view.expect("weights have the length that their shape says"))
        });
        let header = HashMap::from([(METADATA_KEY.to_owned(), json)]);
        safetensors::serialize(views, Some(header)).expect("a header of some hundred names is not too large")
    }

    /// Reads what [`ModelFile::to_bytes`] wrote.
    ///
    /// # Errors
    /// One reason, with the offending value, for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let refuse = |error: safetensors::SafeTensorError| ModelError::NotSafetensors(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(refuse)?;
        let metadata = header.metadata().as_ref().and_then(|map| map.get(METADATA_KEY));
        let metadata = parse_metadata(metadata.ok_or(ModelError::Foreign)?)?;
        let stored = SafeTensors::deserialize(bytes).map_err(refuse)?;
        let mut tensors = Vec::with_capacity(stored.len());
        for (name, view) in stored.iter() {
            if view.dtype() != Dtype::F32 {
                return Err(ModelError::Type { name: name.to_owned(), found: view.dtype().to_string() });
            }
            tensors.push((name.to_owned(), view.shape().to_vec(), from_bytes(view.data())));
        }
        // They come in no fixed order; the reason given for a refusal should not change from read to read.
        tensors.sort_by(|left, right| left.0.cmp(&right.0));
        let weights = Weights::new(metadata.spec, tensors)?;
        if let Some(calibration) = &metadata.calibration {
            calibration.validate(weights.spec())?;
        }
        let model = Self { weights, calibration: metadata.calibration, history: metadata.history };
        let found = model.hash();
        if found != metadata.hash {
            return Err(ModelError::Hash { found, expected: metadata.hash });
        }
        Ok(model)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self.to_bytes();
        hippolyta_files::write_atomic(path, |out| out.write_all(&bytes))
            .map_err(|source| FileError::Io { path: path.to_owned(), source })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What the file system says, or why the content is no model.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let io = |source| FileError::Io { path: path.to_owned(), source };
        let refused = |source| FileError::Refused { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(io)?;
        if bytes.len() as u64 > LARGEST {
            return Err(refused(ModelError::TooLarge(bytes.len() as u64)));
        }
        Self::from_bytes(&bytes).map_err(refused)
    }
}

fn parse_metadata(json: &str) -> Result<Metadata, ModelError> {
    let refuse = |error: serde_json::Error| ModelError::Metadata(error.to_string());
    let Versioned { format } = serde_json::from_str(json).map_err(refuse)?;
    if !(OLDEST_FORMAT..=FORMAT_VERSION).contains(&format) {
        return Err(ModelError::Version(format));
    }
    serde_json::from_str(json).map_err(refuse)
}

fn to_bytes(data: &[f32]) -> Vec<u8> {
    data.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calibration::{Channels, Deviation};

    fn model() -> ModelFile {
        let spec = NetSpec { value_hidden: 16, ..NetSpec::with_trunk(1, 16, &[0]) };
        ModelFile {
            weights: Weights::untrained(spec, 7).unwrap(),
            calibration: Some(Calibration {
                positions: 10,
                trunk_bits: TrunkBits::Eight,
                maxima: vec![1.5, 2.0, 0.1],
                channels: None,
                deviation: None,
            }),
            history: BTreeMap::from([("run".into(), "quick".into()), ("games".into(), "12".into())]),
        }
    }

    /// The bytes of [`model`] with a piece of the header replaced by one of the same length.
    fn edited(from: &str, to: &str) -> Vec<u8> {
        replaced(&model().to_bytes(), from, to)
    }

    fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
        let at =
            bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("piece is there");
        assert_eq!(from.len(), to.len());
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    }

    fn refused(bytes: &[u8]) -> String {
        ModelFile::from_bytes(bytes).unwrap_err().to_string()
    }

    #[test]
    fn a_file_comes_back_and_its_bytes_are_stable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.safetensors");
        model().write(&path).unwrap();
        assert_eq!(ModelFile::read(&path).unwrap(), model());
        assert_eq!(model().to_bytes(), model().to_bytes());
    }

    #[test]
    fn the_hash_covers_what_plays() {
        let base = model();
        let mut other = model();
        other.history.clear();
        assert_eq!(base.hash(), other.hash());
        other.calibration = None;
        assert_ne!(base.hash(), other.hash());
        other.weights = Weights::untrained(base.weights.spec().clone(), 8).unwrap();
        other.calibration.clone_from(&base.calibration);
        assert_ne!(base.hash(), other.hash());
    }

    #[test]
    fn damage_is_named() {
        let bytes = model().to_bytes();
        assert!(refused(b"").starts_with("not a safetensors file"));
        assert!(refused(b"(;GM[18]SZ[10])").starts_with("not a safetensors file"));
        assert!(refused(&bytes[..bytes.len() - 1]).starts_with("not a safetensors file"));
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(refused(&flipped).starts_with("content hash is "));
        let mut nan = bytes.clone();
        let end = nan.len();
        nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(refused(&nan).ends_with("is NaN, not a finite number"));
        assert!(refused(&edited(METADATA_KEY, "somebody1")).starts_with("no hippolyta metadata"));
        assert_eq!(
            refused(&edited("\\\"format\\\":1", "\\\"format\\\":7")),
            "format version 7, this build reads 1 to 3"
        );
        assert_eq!(
            refused(&edited("\\\"channels\\\":16", "\\\"channels\\\":32")),
            "tensor blocks.0.conv1.bias has shape [16], expected [32]"
        );
        assert!(refused(&edited("\\\"channels\\\":16", "\\\"channels\\\":17")).contains("channels = 17"));
        assert!(refused(&edited("\\\"blocks\\\"", "\\\"blocky\\\"")).contains("unknown field `blocky`"));
        assert!(refused(&edited("\"F32\"", "\"I32\"")).contains("is of type I32, expected F32"));
        assert!(refused(&edited("1.5,2.0", "-.5,2.0")).starts_with("metadata: "));
        assert_eq!(
            refused(&edited("1.5,2.0", "-15,2.0")),
            "calibration maximum 0 is -15, not a finite number of at least 0"
        );
    }

    #[test]
    fn the_file_says_what_it_is_played_with() {
        let mut model = model();
        let without = model.to_bytes();
        assert!(
            !String::from_utf8_lossy(&without).contains("deviation"),
            "files from before stay as they are"
        );
        assert_eq!(model.precision(), Precision::Int8);
        for (policy_kl, value_error, precision) in
            [(9e-4, 9e-3, Precision::Int8), (1e-3, 1e-4, Precision::Bf16), (1e-5, 1e-2, Precision::Bf16)]
        {
            let calibration = model.calibration.as_mut().unwrap();
            calibration.deviation = Some(Deviation { positions: 7, policy_kl, value_error });
            let read = ModelFile::from_bytes(&model.to_bytes()).unwrap();
            assert_eq!((read.precision(), &read), (precision, &model));
        }
        for (positions, policy_kl, value_error) in [(0, 1e-4, 1e-3), (7, -1.0, 1e-3), (7, 1e-4, 2.5)] {
            let calibration = model.calibration.as_mut().unwrap();
            calibration.deviation = Some(Deviation { positions, policy_kl, value_error });
            let error = ModelFile::from_bytes(&model.to_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("calibration "), "{error}");
        }
        model.calibration = None;
        assert_eq!(model.precision(), Precision::F32);
    }

    #[test]
    fn bits_of_activations_are_seven_or_eight() {
        let mut model = model();
        assert!(!String::from_utf8_lossy(&model.to_bytes()).contains("trunk_bits"), "as in older files");
        let eight = model.hash();
        model.calibration.as_mut().unwrap().trunk_bits = TrunkBits::Seven;
        assert_ne!(model.hash(), eight);
        let bytes = model.to_bytes();
        assert!(String::from_utf8_lossy(&bytes).contains("\\\"format\\\":3"));
        assert_eq!(ModelFile::from_bytes(&bytes).unwrap(), model);
        let nine = replaced(&bytes, "\\\"trunk_bits\\\":7", "\\\"trunk_bits\\\":9");
        assert!(refused(&nine).contains("activations of 9 bits, expected 7 or 8"), "{}", refused(&nine));
    }

    #[test]
    fn ranges_of_channels_are_kept_and_files_without_them_read() {
        let mut model = model();
        for version in ["\\\"format\\\":2", "\\\"format\\\":3"] {
            let other = edited("\\\"format\\\":1", version);
            assert_eq!(ModelFile::from_bytes(&other).unwrap(), model);
        }
        let tensor = |value: f32| vec![value; 16];
        let known = Channels {
            planes: vec![0.25; 20],
            maxima: vec![tensor(1.5), tensor(2.0), tensor(0.1)],
            means: vec![tensor(0.5), tensor(0.7), tensor(0.0)],
        };
        model.calibration.as_mut().unwrap().channels = Some(known.clone());
        assert!(String::from_utf8_lossy(&model.to_bytes()).contains("\\\"format\\\":2"));
        let mut with = |change: fn(&mut Channels)| {
            let mut known = known.clone();
            change(&mut known);
            model.calibration.as_mut().unwrap().channels = Some(known);
            ModelFile::from_bytes(&model.to_bytes()).map(|read| assert_eq!(read, model))
        };
        with(|_| ()).unwrap();
        let mut refused = |change| with(change).unwrap_err().to_string();
        let plane = refused(|known| known.planes.truncate(19));
        assert_eq!(plane, "calibration has 19 means of planes, the network needs 20");
        assert!(refused(|known| known.means.truncate(2)).ends_with("2 lists of means, the network needs 3"));
        assert!(
            refused(|known| known.maxima[1].push(1.0))
                .contains("17 maxima of channels, the network needs 16")
        );
        let mean = refused(|known| known.means[2][4] = -0.5);
        assert_eq!(mean, "calibration mean of channel 4 is -0.5, not a finite number of at least 0");
        let mean = refused(|known| known.means[1][4] = 1e30);
        assert!(
            mean.starts_with("calibration mean of channel 4 is 1") && mean.ends_with("above 2"),
            "{mean}"
        );
        assert!(refused(|known| known.planes[3] = 1.5).ends_with("plane 3 is 1.5, which cannot be above 1"));
        assert!(refused(|known| known.maxima[0][1] = 9.0).contains("maximum of channel 1 is 9"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = ModelFile::read(Path::new("no/such/net")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/net: "), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(ModelFile::from_bytes(&bytes).is_err());
        }

        #[test]
        fn no_damage_panics_or_passes(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in 0_usize..50) {
            let good = model().to_bytes();
            let mut bytes = good.clone();
            let at = at.index(4000);
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut);
            if let Ok(read) = ModelFile::from_bytes(&bytes) {
                // Spaces, key order and the history are free; what plays is not.
                prop_assert_eq!(read.hash(), model().hash());
            }
        }
    }
}

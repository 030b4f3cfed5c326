//! Everything that a training needs to go on, in one file.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hippolyta_files::write_atomic;
use hippolyta_model::NetSpec;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::losses::Losses;

/// The layout written here.
const FORMAT: u32 = 1;
/// One key of the safetensors header, so that the same state gives the same bytes.
const METADATA_KEY: &str = "hippolyta-checkpoint";
/// Checkpoints that are kept.
const KEPT: usize = 2;

/// How far a training has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Generations that are trained to their end.
    pub generations: u32,
    /// Positions that existed when the last step was taken.
    pub positions: u64,
    /// What the steps of the newest generation added up to, so that an interruption does not change its mean losses.
    pub newest: Summed,
}

/// Losses over the steps of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summed {
    /// The generation.
    pub generation: u32,
    /// Its steps so far.
    pub steps: u64,
    /// The sum of their losses.
    pub losses: Losses,
}

/// The state of a training between two steps. Its random choices follow from the seed and the step alone, and the
/// window from the games of the generation, so that nothing else is needed to go on as if nothing had happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) progress: Progress,
    /// The run's own numbers; a checkpoint of another run is refused.
    pub(crate) identity: Identity,
    pub(crate) state: State,
}

/// What a checkpoint belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    pub(crate) seed: u64,
    pub(crate) spec: NetSpec,
    /// SHA-256 of the training's configuration but for device and threads.
    pub(crate) config: String,
}

/// The flat vectors of a training.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) parameters: Vec<f32>,
    pub(crate) statistics: Vec<f32>,
    pub(crate) averaged_parameters: Vec<f32>,
    pub(crate) averaged_statistics: Vec<f32>,
    pub(crate) gradient_mean: Vec<f32>,
    pub(crate) gradient_square: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format: u32,
    progress: Progress,
    identity: Identity,
    /// SHA-256 of the tensors.
    hash: String,
}

/// A checkpoint that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {reason}", path.display())]
pub struct Refused {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// Why a folder's checkpoints are of no use.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// What the file system says.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Its word.
        source: io::Error,
    },
    /// There are checkpoints, and none can be used; going on without would train from the start again.
    #[error("none of the checkpoints can be used ({}); move them away to train from the start", list(.0))]
    AllRefused(Vec<Refused>),
}

fn list(refused: &[Refused]) -> String {
    refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The newest usable checkpoint of a folder.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Newer ones that were passed over.
    pub(crate) refused: Vec<Refused>,
}

impl Checkpoint {
    /// Writes the checkpoint into `folder` and removes all but the newest two.
    pub(crate) fn write(&self, folder: &Path) -> Result<PathBuf, CheckpointError> {
        let path = folder.join(name(self.progress));
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| CheckpointError::Io { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let bytes = self.to_bytes();
        write_atomic(&path, |out| out.write_all(&bytes)).map_err(failed(&path))?;
        for (_, old) in files(folder).map_err(failed(folder))?.iter().rev().skip(KEPT) {
            fs::remove_file(old).map_err(failed(old))?;
        }
        Ok(path)
    }

    /// The newest checkpoint of `folder` that is whole and belongs to `identity`; the names of newer ones that do
    /// not are given, and told to the log.
    pub(crate) fn newest(folder: &Path, identity: &Identity) -> Result<Found, CheckpointError> {
        let failed = |source| CheckpointError::Io { path: folder.to_owned(), source };
        let mut refused = Vec::new();
        for (_, path) in files(folder).map_err(failed)?.into_iter().rev() {
            let read = fs::read(&path).map_err(|error| error.to_string());
            match read.and_then(|bytes| Checkpoint::from_bytes(&bytes, identity)) {
                Ok(checkpoint) => return Ok(Found { checkpoint: Some(checkpoint), refused }),
                Err(reason) => {
                    let fault = Refused { path, reason };
                    tracing::warn!("checkpoint passed over: {fault}");
                    refused.push(fault);
                }
            }
        }
        if refused.is_empty() {
            Ok(Found { checkpoint: None, refused })
        } else {
            Err(CheckpointError::AllRefused(refused))
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let tensors = self.state.named().map(|(name, data)| (name, little_endian(data)));
        let metadata = Metadata {
            format: FORMAT,
            progress: self.progress,
            identity: self.identity.clone(),
            hash: hash(tensors.iter().map(|(_, bytes)| bytes.as_slice())),
        };
        let json = serde_json::to_string(&metadata).expect("plain structs become JSON");
        let views = tensors.iter().map(|(name, bytes)| {
            let view = TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes);
            (*name, view.expect("four bytes an element"))
        });
        let header = HashMap::from([(METADATA_KEY.to_owned(), json)]);
        safetensors::serialize(views, Some(header)).expect("a header of six names is not too large")
    }

    fn from_bytes(bytes: &[u8], identity: &Identity) -> Result<Checkpoint, String> {
        let damaged = |error: safetensors::SafeTensorError| format!("half-written or damaged ({error})");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let json = header.metadata().as_ref().and_then(|map| map.get(METADATA_KEY));
        let json = json.ok_or("not a checkpoint of this program")?;
        let metadata: Metadata = serde_json::from_str(json)
            .map_err(|error| format!("not a checkpoint that this version reads ({error})"))?;
        if metadata.format != FORMAT {
            return Err(format!("format {}, this version reads format {FORMAT}", metadata.format));
        }
        if metadata.identity.spec != identity.spec {
            return Err("it is of another network".to_owned());
        }
        if metadata.identity != *identity {
            return Err("it is of a run with another seed or training configuration".to_owned());
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let mut parts = Vec::new();
        for name in State::NAMES {
            let view = tensors.tensor(name).map_err(|_| format!("{name} is missing"))?;
            parts.push(view);
        }
        if hash(parts.iter().map(TensorView::data)) != metadata.hash {
            return Err("damaged: the content is not what was written".to_owned());
        }
        let mut parts = parts.iter().map(|view| floats(view.data()));
        let mut next = || parts.next().expect("one for each name");
        let state = State {
            parameters: next(),
            statistics: next(),
            averaged_parameters: next(),
            averaged_statistics: next(),
            gradient_mean: next(),
            gradient_square: next(),
        };
        Ok(Checkpoint { progress: metadata.progress, identity: metadata.identity, state })
    }
}

impl State {
    const NAMES: [&str; 6] = [
        "parameters",
        "statistics",
        "averaged_parameters",
        "averaged_statistics",
        "gradient_mean",
        "gradient_square",
    ];

    /// The vectors in the order of [`State::NAMES`].
    fn named(&self) -> [(&'static str, &[f32]); 6] {
        let vectors = [
            &self.parameters,
            &self.statistics,
            &self.averaged_parameters,
            &self.averaged_statistics,
            &self.gradient_mean,
            &self.gradient_square,
        ];
        std::array::from_fn(|i| (State::NAMES[i], vectors[i].as_slice()))
    }
}

/// Names sort as the checkpoints were made.
fn name(progress: Progress) -> String {
    format!("g{:06}-s{:010}.checkpoint", progress.generations, progress.step)
}

/// The checkpoints of a folder by name, oldest first; a folder that does not exist has none.
fn files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string()
            && name.starts_with('g')
            && name.ends_with(".checkpoint")
        {
            files.push((name, entry.path()));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// SHA-256 in hexadecimal.
pub(crate) fn hash<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut sha = Sha256::new();
    parts.for_each(|part| sha.update(part));
    sha.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

fn little_endian(data: &[f32]) -> Vec<u8> {
    data.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(step: u64) -> Checkpoint {
        let spec = NetSpec { value_hidden: 16, ..NetSpec::with_trunk(1, 16, &[]) };
        let vector = |value: f32| vec![value, step as f32];
        Checkpoint {
            progress: Progress { step, generations: 3, positions: 500, newest: Summed::default() },
            identity: Identity { seed: 7, spec, config: "c0ffee".to_owned() },
            state: State {
                parameters: vector(1.0),
                statistics: vector(2.0),
                averaged_parameters: vector(3.0),
                averaged_statistics: vector(4.0),
                gradient_mean: vector(5.0),
                gradient_square: vector(6.0),
            },
        }
    }

    #[test]
    fn the_newest_of_two_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let identity = checkpoint(0).identity;
        assert!(Checkpoint::newest(&folder.path().join("none"), &identity).unwrap().checkpoint.is_none());
        for step in [9, 10, 11] {
            checkpoint(step).write(folder.path()).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), KEPT);
        let found = Checkpoint::newest(folder.path(), &identity).unwrap();
        assert_eq!(found.checkpoint, Some(checkpoint(11)));
        assert_eq!(found.refused, []);
    }

    /// Spoils the newest of two checkpoints; the older one is read, and the fault told.
    fn falls_back(spoil: impl FnOnce(&mut Vec<u8>), reason: &str) {
        let folder = tempfile::tempdir().unwrap();
        checkpoint(1).write(folder.path()).unwrap();
        let path = checkpoint(2).write(folder.path()).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        spoil(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let found = Checkpoint::newest(folder.path(), &checkpoint(0).identity).unwrap();
        assert_eq!(found.checkpoint, Some(checkpoint(1)));
        assert_eq!(found.refused[0].path, path);
        assert!(found.refused[0].reason.contains(reason), "{}", found.refused[0]);
    }

    #[test]
    fn a_spoilt_checkpoint_is_told_and_passed_over() {
        falls_back(Vec::clear, "half-written or damaged");
        falls_back(|bytes| bytes.truncate(40), "half-written or damaged");
        falls_back(|bytes| bytes.truncate(bytes.len() - 4), "half-written or damaged");
        falls_back(|bytes| *bytes.last_mut().unwrap() ^= 1, "not what was written");
        falls_back(|bytes| *bytes = b"not a checkpoint at all, but rather long".to_vec(), "damaged");
        falls_back(
            |bytes| {
                let other = [0_u8; 4];
                let view = TensorView::new(Dtype::F32, vec![1], &other).unwrap();
                *bytes = safetensors::serialize([("weight", view)], None).unwrap();
            },
            "not a checkpoint of this program",
        );
        falls_back(
            |bytes| {
                let mut other = checkpoint(2);
                other.identity.seed += 1;
                *bytes = other.to_bytes();
            },
            "another seed",
        );
        falls_back(
            |bytes| {
                let mut other = checkpoint(2);
                other.identity.spec.blocks += 1;
                *bytes = other.to_bytes();
            },
            "another network",
        );
    }

    #[test]
    fn nothing_usable_is_an_error_and_not_a_fresh_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = checkpoint(2).write(folder.path()).unwrap();
        fs::write(&path, "x").unwrap();
        let error = Checkpoint::newest(folder.path(), &checkpoint(0).identity).unwrap_err().to_string();
        assert!(error.starts_with("none of the checkpoints can be used"), "{error}");
        assert!(error.contains("g000003-s0000000002.checkpoint"), "{error}");
    }
}

//! Everything that a training needs to go on, in one file.

use std::collections::HashMap;
use std::fmt::Write as _;

use hippolyta_model::NetSpec;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::losses::Losses;

/// The layout written here.
const FORMAT: u32 = 2;
/// One key of the safetensors header, so that the same state gives the same bytes.
const METADATA_KEY: &str = "hippolyta-checkpoint";

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
    /// The hash of the weights that the training began with; `None` for untrained ones.
    pub(crate) init: Option<String>,
    /// The training's configuration but for device and threads, which change no result.
    pub(crate) config: Value,
}

impl Identity {
    /// Why a checkpoint with the identity `self` does not belong to a training with the identity `other`. A key of the
    /// configuration that only one of them knows is no reason: it came later, and has the value that changes nothing.
    fn differs_from(&self, other: &Identity) -> Option<String> {
        if self.spec != other.spec {
            return Some("it is of another network".to_owned());
        }
        if self.seed != other.seed {
            return Some(format!("it is of a run with another seed: {}, not {}", self.seed, other.seed));
        }
        if self.init != other.init {
            return Some("it is of a run that began with other weights".to_owned());
        }
        let key = first_difference("train", &self.config, &other.config)?;
        Some(format!("it is of a run with another training configuration: {key} differs"))
    }
}

/// The first key that two configurations know and set differently.
fn first_difference(path: &str, a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => a.iter().find_map(|(key, value)| {
            let other = b.get(key)?;
            first_difference(&format!("{path}.{key}"), value, other)
        }),
        _ => (a != b).then(|| path.to_owned()),
    }
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
    /// SHA-256 of progress, identity and tensors.
    hash: String,
}

/// Reads the version alone, so that another layout is refused by its number.
#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

/// A checkpoint that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CheckpointError(pub String);

impl Checkpoint {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let tensors = self.state.named().map(|(name, data)| (name, little_endian(data)));
        let metadata = Metadata {
            format: FORMAT,
            progress: self.progress,
            identity: self.identity.clone(),
            hash: hash(self.progress, &self.identity, tensors.iter().map(|(_, bytes)| bytes.as_slice())),
        };
        let json = serde_json::to_string(&metadata).expect("plain structs become JSON");
        let views = tensors.iter().map(|(name, bytes)| {
            let view = TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes);
            (*name, view.expect("four bytes an element"))
        });
        let header = HashMap::from([(METADATA_KEY.to_owned(), json)]);
        safetensors::serialize(views, Some(header)).expect("a header of six names is not too large")
    }

    /// Reads what [`Checkpoint::to_bytes`] wrote, if it belongs to `identity`.
    pub(crate) fn from_bytes(bytes: &[u8], identity: &Identity) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::parse(bytes, identity).map_err(CheckpointError)
    }

    fn parse(bytes: &[u8], identity: &Identity) -> Result<Checkpoint, String> {
        let damaged = |error: safetensors::SafeTensorError| format!("half-written or damaged ({error})");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let json = header.metadata().as_ref().and_then(|map| map.get(METADATA_KEY));
        let json = json.ok_or("not a checkpoint of this program")?;
        let unreadable = |error| format!("not a checkpoint that this version reads ({error})");
        let Versioned { format } = serde_json::from_str(json).map_err(unreadable)?;
        if format != FORMAT {
            return Err(format!("format {format}, this version reads format {FORMAT}"));
        }
        let metadata: Metadata = serde_json::from_str(json).map_err(unreadable)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let mut parts = Vec::new();
        for name in State::NAMES {
            let view = tensors.tensor(name).map_err(|_| format!("{name} is missing"))?;
            parts.push(view);
        }
        if hash(metadata.progress, &metadata.identity, parts.iter().map(TensorView::data)) != metadata.hash {
            return Err("damaged: the content is not what was written".to_owned());
        }
        if let Some(difference) = metadata.identity.differs_from(identity) {
            return Err(difference);
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

/// SHA-256 in hexadecimal of all that a checkpoint says.
fn hash<'a>(progress: Progress, identity: &Identity, parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut sha = Sha256::new();
    sha.update(serde_json::to_vec(&(progress, identity)).expect("plain structs become JSON"));
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
        let config = serde_json::json!({ "batch": 16, "loss": { "value": 1.5 } });
        let vector = |value: f32| vec![value, step as f32];
        Checkpoint {
            progress: Progress { step, generations: 3, positions: 500, newest: Summed::default() },
            identity: Identity { seed: 7, spec, init: None, config },
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
    fn a_checkpoint_comes_back_and_its_bytes_are_stable() {
        let one = checkpoint(9);
        assert_eq!(Checkpoint::from_bytes(&one.to_bytes(), &one.identity), Ok(one.clone()));
        assert_eq!(one.to_bytes(), one.to_bytes());
    }

    fn refused(spoil: impl FnOnce(&mut Vec<u8>), reason: &str) {
        let mut bytes = checkpoint(2).to_bytes();
        spoil(&mut bytes);
        let error = Checkpoint::from_bytes(&bytes, &checkpoint(0).identity).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }

    #[test]
    fn a_spoilt_checkpoint_is_refused_with_the_reason() {
        refused(Vec::clear, "half-written or damaged");
        refused(|bytes| bytes.truncate(40), "half-written or damaged");
        refused(|bytes| bytes.truncate(bytes.len() - 4), "half-written or damaged");
        refused(|bytes| *bytes.last_mut().unwrap() ^= 1, "not what was written");
        refused(|bytes| *bytes = b"not a checkpoint at all, but rather long".to_vec(), "damaged");
        refused(
            |bytes| {
                let other = [0_u8; 4];
                let view = TensorView::new(Dtype::F32, vec![1], &other).unwrap();
                *bytes = safetensors::serialize([("weight", view)], None).unwrap();
            },
            "not a checkpoint of this program",
        );
    }

    /// Of progress and identity no digit can change either.
    #[test]
    fn the_checksum_covers_all_that_decides() {
        for (from, to) in [
            ("\\\"step\\\":2", "\\\"step\\\":3"),
            ("\\\"positions\\\":500", "\\\"positions\\\":501"),
            ("\\\"policy\\\":0.0", "\\\"policy\\\":1.0"),
            ("\\\"seed\\\":7", "\\\"seed\\\":8"),
        ] {
            refused(
                |bytes| {
                    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes());
                    let at = at.unwrap_or_else(|| panic!("{from} is there"));
                    bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
                },
                "not what was written",
            );
        }
    }

    #[test]
    fn a_checkpoint_of_another_training_is_refused() {
        let of_other = |change: &dyn Fn(&mut Identity), reason: &str| {
            let mut other = checkpoint(2);
            change(&mut other.identity);
            let bytes = other.to_bytes();
            let error = Checkpoint::from_bytes(&bytes, &checkpoint(0).identity).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        };
        of_other(&|identity| identity.seed += 1, "another seed");
        of_other(&|identity| identity.spec.blocks += 1, "another network");
        of_other(&|identity| identity.init = Some("c0ffee".to_owned()), "other weights");
        of_other(&|identity| identity.config["loss"]["value"] = 2.0.into(), "train.loss.value differs");
        // A key that the checkpoint does not know yet.
        let mut older = checkpoint(2);
        older.identity.config = serde_json::json!({ "batch": 16 });
        assert!(Checkpoint::from_bytes(&older.to_bytes(), &checkpoint(0).identity).is_ok());
    }
}

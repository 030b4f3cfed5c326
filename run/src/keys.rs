//! The keys of a run's files. A generation is `g000012`.

/// The configuration, frozen at the start.
pub const CONFIG: &str = "config.toml";
/// A view of the manifests: a row for each generation.
pub const METRICS: &str = "metrics.jsonl";
/// How long the stages of each generation took.
pub const TIMINGS: &str = "timings.jsonl";
/// How long the run has been worked on.
pub const CLOCK: &str = "clock.json";
/// Ratings from a ladder, if somebody put them there.
pub const LADDER: &str = "ladder.json";
/// The page about the run.
pub const REPORT: &str = "report.html";
/// The folder of `TensorBoard`'s event files.
pub const TENSORBOARD: &str = "tensorboard";
/// What the keys of all record files begin with.
pub const GAMES: &str = "games/";
/// What the keys of all checkpoints begin with.
pub const CHECKPOINTS: &str = "checkpoints/";
/// What the keys of all manifests begin with.
pub const MANIFESTS: &str = "manifests/";
/// What the keys of all champions begin with.
pub const MODELS: &str = "models/";
/// What the keys of all that finishing steps made begin with.
pub const ENDS: &str = "end/";

/// Digits of a model's hash that set games of one network apart from those of another.
const SHORT_HASH: usize = 12;

/// The name of a generation, and of its network.
pub fn name_of(generation: u32) -> String {
    format!("g{generation:06}")
}

/// What the keys of a generation's record files begin with, those played by the network with the hash `model`.
pub fn games(generation: u32, model: &str) -> String {
    format!("{GAMES}{}/{}/", name_of(generation), &model[..SHORT_HASH.min(model.len())])
}

/// The trainer's state after `step` steps, of which the newest are of the generation after `generations`.
pub fn checkpoint(generations: u32, step: u64) -> String {
    format!("{CHECKPOINTS}{}-s{step:010}.checkpoint", name_of(generations))
}

/// The generations and steps of a checkpoint's key.
pub fn parse_checkpoint(key: &str) -> Option<(u32, u64)> {
    let name = key.strip_prefix(CHECKPOINTS)?.strip_prefix('g')?.strip_suffix(".checkpoint")?;
    let (generations, step) = name.split_once("-s")?;
    let parsed = (generations.parse().ok()?, step.parse().ok()?);
    (checkpoint(parsed.0, parsed.1) == key).then_some(parsed)
}

/// The network that training gave in a generation.
pub fn candidate(generation: u32) -> String {
    format!("candidates/{}.safetensors", name_of(generation))
}

/// What the training of a generation came to; written after its candidate.
pub fn learned(generation: u32) -> String {
    format!("candidates/{}.json", name_of(generation))
}

/// The network that became champion in a generation; that of generation 0 is the one to begin with.
pub fn model(generation: u32) -> String {
    format!("{MODELS}{}.safetensors", name_of(generation))
}

/// The report of a generation's gate.
pub fn gate(generation: u32) -> String {
    format!("gates/{}.json", name_of(generation))
}

/// The report of the matches that rate a generation's champion.
pub fn rating(generation: u32) -> String {
    format!("ratings/{}.json", name_of(generation))
}

/// All that a generation made.
pub fn manifest(generation: u32) -> String {
    format!("{MANIFESTS}{}.json", name_of(generation))
}

/// The end of a run after a generation.
pub fn end(generation: u32) -> String {
    format!("{ENDS}{}.json", name_of(generation))
}

/// The report of the gate that was played because the run ended.
pub fn end_gate(generation: u32) -> String {
    format!("{ENDS}{}-gate.json", name_of(generation))
}

/// The report of the matches that were played because the run ended.
pub fn end_rating(generation: u32) -> String {
    format!("{ENDS}{}-rating.json", name_of(generation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_known_by_their_keys() {
        let key = checkpoint(3, 1234);
        assert_eq!(key, "checkpoints/g000003-s0000001234.checkpoint");
        assert_eq!(parse_checkpoint(&key), Some((3, 1234)));
        for other in ["checkpoints/g3-s1.checkpoint", "checkpoints/x", "models/g000003.safetensors"] {
            assert_eq!(parse_checkpoint(other), None);
        }
    }

    #[test]
    fn games_lie_under_the_network_that_played_them() {
        assert_eq!(games(12, &"c0ffee".repeat(8)), "games/g000012/c0ffeec0ffee/");
    }
}

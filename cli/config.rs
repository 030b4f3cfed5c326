//! Run configurations: complete TOML files, each section owned by the crate that it configures.

use std::fs;
use std::path::Path;

use hippolyta_model::NetSpec;
use hippolyta_search::SearchConfig;
use hippolyta_selfplay::{BoardShare, SelfplayConfig};
use hippolyta_train::TrainConfig;
use serde::Deserialize;

use crate::args::MOST_THREADS;
use crate::evaluators::EvaluatorKind;
use crate::failure::wrong_input;
use crate::run::Bounds;
use crate::run::gate::GateSection;
use crate::run::rating::RatingSection;

/// All that decides what a run does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunConfig {
    pub(crate) run: RunSection,
    pub(crate) network: NetSpec,
    pub(crate) selfplay: SelfplayConfig,
    pub(crate) search: SearchConfig,
    pub(crate) train: TrainConfig,
    pub(crate) gate: GateSection,
    pub(crate) rating: RatingSection,
}

/// The run as a whole.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSection {
    /// From which every random choice of the run follows.
    pub(crate) seed: u64,
    /// Threads of self-play, gate and rating; 0 takes all cores.
    pub(crate) threads: usize,
    /// What computes the network in self-play.
    pub(crate) evaluator: EvaluatorKind,
    /// The run is over after so many generations.
    pub(crate) generations: Option<u32>,
    /// The run is over after so many minutes of work, counted over restarts.
    pub(crate) minutes: Option<f64>,
}

/// The keys that may change between two calls of `train`: they bound a run. `generations` also sets when the learning
/// rate falls.
const BOUNDS: [&str; 2] = ["generations", "minutes"];

impl RunConfig {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// [`crate::failure::WrongInput`] that names the file, the key and its value.
    pub(crate) fn read(path: &Path) -> anyhow::Result<(RunConfig, String)> {
        let text = fs::read_to_string(path)
            .map_err(|error| wrong_input(format!("{} cannot be read: {error}", path.display())))?;
        let config =
            RunConfig::parse(&text).map_err(|message| wrong_input(format!("{}{message}", path.display())))?;
        Ok((config, text))
    }

    /// Parses and checks a configuration; the message begins with the place in the file.
    pub(crate) fn parse(text: &str) -> Result<RunConfig, String> {
        let config: RunConfig = toml::from_str(text).map_err(|error| {
            let place = error.span().map_or_else(String::new, |span| place(text, span.start));
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            format!("{place}: {message}")
        })?;
        config.validate().map_err(|message| format!(": {message}"))?;
        Ok(config)
    }

    fn validate(&self) -> Result<(), String> {
        self.run.validate()?;
        self.network.validate().map_err(|error| format!("network.{error}"))?;
        self.selfplay.validate().map_err(|error| error.to_string())?;
        self.search.validate().map_err(|error| error.to_string())?;
        self.train.validate().map_err(|error| format!("train.{error}"))?;
        self.gate.validate()?;
        self.rating.validate()?;
        let begins = self.selfplay.boards.0.iter().map(BoardShare::begins).max().unwrap_or_default();
        match self.run.generations {
            Some(all) if begins > all => {
                Err(format!("selfplay.boards.first = {begins}: must be at most run.generations = {all}"))
            }
            _ => Ok(()),
        }
    }

    /// How far the run is to go, by its configuration.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { generations: self.run.generations, minutes: self.run.minutes }
    }
}

impl RunSection {
    fn validate(&self) -> Result<(), String> {
        if self.threads > MOST_THREADS {
            return Err(format!("run.threads = {}: must be from 0 to {MOST_THREADS}", self.threads));
        }
        if self.generations == Some(0) {
            return Err("run.generations = 0: must be at least 1, or be left out".to_owned());
        }
        if let Some(minutes) = self.minutes.filter(|minutes| !(minutes.is_finite() && *minutes > 0.0)) {
            return Err(format!("run.minutes = {minutes}: must be above 0, or be left out"));
        }
        Ok(())
    }
}

/// Where `offset` lies in `text`: the line's number, its section, and what it says.
fn place(text: &str, offset: usize) -> String {
    let before = &text[..offset.min(text.len())];
    let number = before.matches('\n').count();
    let line = text.lines().nth(number).unwrap_or_default().trim();
    if line.is_empty() { String::new() } else { format!(", line {} ('{line}')", number + 1) }
}

/// The first key, as in `selfplay.games`, that two configurations set differently, apart from the run's bounds.
pub(crate) fn first_difference(frozen: &str, given: &str) -> Option<String> {
    let parse = |text: &str| {
        let mut table: toml::Table = toml::from_str(text).ok()?;
        if let Some(run) = table.get_mut("run").and_then(toml::Value::as_table_mut) {
            run.retain(|key, _| !BOUNDS.contains(&key));
        }
        Some(toml::Value::Table(table))
    };
    let (Some(frozen), Some(given)) = (parse(frozen), parse(given)) else { return Some("syntax".to_owned()) };
    difference("", &frozen, &given)
}

fn difference(path: &str, frozen: &toml::Value, given: &toml::Value) -> Option<String> {
    use toml::Value::{Array, Float, Integer, Table};
    match (frozen, given) {
        (Table(a), Table(b)) => a.keys().chain(b.keys()).find_map(|key| {
            let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match (a.get(key), b.get(key)) {
                (Some(frozen), Some(given)) => difference(&inner, frozen, given),
                (Some(_), None) => Some(format!("{inner} is set there only")),
                _ => Some(format!("{inner} is set here only")),
            }
        }),
        (Array(a), Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (frozen, given))| difference(&format!("{path}[{index}]"), frozen, given))
        }
        // A number is the same with a point and without.
        (Integer(whole), Float(number)) | (Float(number), Integer(whole))
            if (*whole as f64).total_cmp(number).is_eq() =>
        {
            None
        }
        _ => (frozen != given).then(|| format!("{path} = {frozen} there and {given} here")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: &str = include_str!("../configs/quick.toml");

    #[track_caller]
    fn refused(from: &str, to: &str, words: &[&str]) {
        assert!(QUICK.contains(from), "{from}");
        let message = RunConfig::parse(&QUICK.replacen(from, to, 1)).unwrap_err();
        for word in words {
            assert!(message.contains(word), "no '{word}' in: {message}");
        }
        assert_eq!(message.lines().count(), 1, "{message}");
    }

    #[test]
    fn every_shipped_configuration_is_good() {
        for entry in fs::read_dir("configs").unwrap() {
            let path = entry.unwrap().path();
            RunConfig::read(&path).unwrap();
        }
    }

    #[test]
    fn errors_name_line_key_and_value() {
        refused("threads = 0", "thread = 0", &["line ", "'thread = 0'", "unknown field `thread`"]);
        refused("games = 1000", "games = \"many\"", &["'games = \"many\"'", "invalid type"]);
        refused("games = 1000", "games = 0", &["selfplay.games = 0"]);
        refused("threads = 0", "threads = 1000000", &["run.threads = 1000000", "1024"]);
        for key in ["games = 40\n", "informed_games = 40\n", "max_games = 400\n"] {
            let most = i64::MAX - 1;
            refused(key, &format!("{} = {most}\n", &key[..key.find(' ').unwrap()]), &[&most.to_string()]);
        }
        let boards = "boards = [{ size = 6, weight = 1.0";
        refused(boards, "boards = [{ size = 6, until = 3, weight = 1.0", &["`until`"]);
        let late = "boards = [{ size = 8, weight = 1.0, first = 39 }, { size = 6, weight = 1.0";
        refused(boards, late, &["selfplay.boards.first = 39: must be at most run.generations = 38"]);
        refused("features = 1", "", &["missing field `features`"]);
        refused("channels = 64", "channels = 40", &["network.channels = 40"]);
        refused("c_scale = 0.5", "c_scale = -1.0", &["search.c_scale = -1"]);
        refused("batch = 256", "batch = 1", &["train.batch = 1"]);
        refused("max_games = 400", "max_games = 3", &["gate.terms.max_games = 3"]);
        refused("informed_games = 40", "informed_games = 3", &["rating.informed_games = 3"]);
        refused("classical_visits = 10000", "classical_visits = 0", &["rating.classical_visits = 0"]);
        for (section, line) in
            [("gate.terms", "visits = 32"), ("rating", "visits = 64"), ("rating", "classical_visits = 10000")]
        {
            let changed = format!("{} = 4294967296", &line[..line.find(' ').unwrap()]);
            let words = format!("{section}.{changed}: must be from 1 to 4294967295");
            refused(&format!("\n{line}\n"), &format!("\n{changed}\n"), &[&words]);
        }
        for (section, line) in [
            ("gate.terms", "plies = 2\nvisits = 32"),
            ("rating", "plies = 2\nvisits = 64"),
            ("selfplay", "plies = 4"),
        ] {
            refused(line, &line.replace("plies = ", "plies = 9"), &[&format!("{section}.opening_plies = 9")]);
        }
        refused("minutes = 10", "minutes = -1", &["run.minutes = -1"]);
        refused("evaluator = \"native\"", "evaluator = \"gpu\"", &["gpu"]);
        refused("[rating]", "[ratings]", &["`ratings`"]);
    }

    #[test]
    fn configurations_differ_in_what_shapes_a_run() {
        assert_eq!(first_difference(QUICK, QUICK), None);
        assert_eq!(first_difference(QUICK, &QUICK.replace("generations = 38", "generations = 3")), None);
        let difference = first_difference(QUICK, &QUICK.replace("games = 1000", "games = 100"));
        assert_eq!(difference.as_deref(), Some("selfplay.games = 1000 there and 100 here"));
        assert_eq!(first_difference(QUICK, &QUICK.replace("c_visit = 50.0", "c_visit = 50")), None);
        let boards =
            |more: &str| QUICK.replace("\nboards = [{ size = 6,", &format!("\nboards = [{more}{{ size = 6,"));
        let difference =
            first_difference(&boards("{ size = 8, weight = 2.0 }, "), &boards("{ size = 8, weight = 3 }, "));
        assert_eq!(difference.as_deref(), Some("selfplay.boards[0].weight = 2.0 there and 3 here"));
        let difference = first_difference(QUICK, &boards("{ size = 8, weight = 1.0, last = 1 }, "));
        assert!(difference.is_some_and(|words| words.starts_with("selfplay.boards = [{")));
        let difference = first_difference(QUICK, &QUICK.replace("beta1 = 0.9\n", ""));
        assert_eq!(difference.as_deref(), Some("train.optimizer.beta1 is set there only"));
    }
}

//! What a configuration says, in a few lines for people.

use hippolyta_eval::EloModel;
use hippolyta_run::{EvaluatorKind, RunConfig, board_names};
use hippolyta_selfplay::BoardShare;
use hippolyta_train::TrunkOptimizer;
use serde::Serialize;

use crate::output::grouped;

/// A line of the summary.
#[derive(Debug, Serialize)]
pub(crate) struct Setting {
    name: &'static str,
    words: String,
}

/// Summarises a configuration.
pub(crate) fn settings(config: &RunConfig) -> Vec<Setting> {
    let lines = [
        ("Boards", boards(config)),
        ("Network", network(config)),
        ("Self-play", selfplay(config)),
        ("Training", training(config)),
        ("Optimiser", optimiser(config)),
        ("Gate", gate(config)),
        ("Rating", rating(config)),
        ("Ends after", bounds(config)),
        ("Seed", config.run.seed.to_string()),
    ];
    lines.into_iter().map(|(name, words)| Setting { name, words }).collect()
}

fn boards(config: &RunConfig) -> String {
    let shares = &config.selfplay.boards.0;
    let total: f64 = shares.iter().map(|share| share.weight).sum();
    let is_always_played = |share: &BoardShare| share.begins() == 1 && share.last.is_none();
    let words = shares.iter().map(|share| {
        let board = share.board();
        if shares.len() == 1 {
            board.to_string()
        } else if shares.iter().all(is_always_played) {
            format!("{board} ({:.0} % of the games)", 100.0 * share.weight / total)
        } else {
            let first = share.begins();
            let span = match share.last {
                Some(last) if last == first => format!("generation {first}"),
                Some(last) => format!("generations {first} to {last}"),
                None => format!("from generation {first}"),
            };
            format!("{board} (weight {}, {span})", share.weight)
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

fn network(config: &RunConfig) -> String {
    let spec = &config.network;
    let weights: usize = spec.tensors().iter().map(hippolyta_model::spec::TensorSpec::elements).sum();
    format!("{} blocks of {} channels, {} weights", spec.blocks, spec.channels, grouped(weights as u64))
}

fn selfplay(config: &RunConfig) -> String {
    let section = &config.selfplay;
    let on = match &config.run.evaluator {
        EvaluatorKind::Native => "the CPU's native code".to_owned(),
        EvaluatorKind::Torch(device) => format!("libtorch on {device}"),
    };
    let visits = section.searches.0.iter().map(|sizes| {
        let from =
            if sizes.first == 1 { String::new() } else { format!(", from generation {} ", sizes.first) };
        format!("{from}{} and {}", sizes.full_visits, sizes.quick_visits)
    });
    format!(
        "{} games a generation; visits for {:.0} % of the moves and for the others: {}; by {on}",
        grouped(section.games.into()),
        100.0 * section.full_share,
        visits.collect::<String>()
    )
}

fn training(config: &RunConfig) -> String {
    let section = &config.train;
    format!(
        "batches of {}, each position about {} times, on {} with {} threads",
        section.batch, section.passes, section.device, section.threads
    )
}

fn optimiser(config: &RunConfig) -> String {
    let section = &config.train.optimizer;
    let name = match section.trunk {
        TrunkOptimizer::AdamW => "AdamW",
        TrunkOptimizer::Muon => "Muon for the trunk, AdamW for the rest",
    };
    format!("{name}, learning rate {}, weight decay {}", section.learning_rate, section.weight_decay)
}

fn gate(config: &RunConfig) -> String {
    let section = &config.gate;
    let sprt = &section.terms.sprt;
    let model = match sprt.model {
        EloModel::Logistic => "logistic",
        EloModel::Normalized => "normalized",
    };
    format!(
        "from generation {}, {}; up to {} games at {} visits; SPRT of {} against {} Elo ({model})",
        section.first,
        every(section.every),
        section.terms.max_games,
        section.terms.visits,
        sprt.elo0,
        sprt.elo1
    )
}

fn rating(config: &RunConfig) -> String {
    let section = &config.rating;
    format!(
        "{}, on {}; {} games against each opponent and {} where they tell most, at {} visits; the classical program \
         makes {} evaluations a move",
        every(section.every),
        board_names(&config.selfplay.boards.lasting()),
        section.games,
        section.informed_games,
        section.visits,
        grouped(section.classical_visits)
    )
}

fn bounds(config: &RunConfig) -> String {
    let generations = config.run.most_generations().map(|count| format!("{count} generations"));
    let minutes = config.run.most_minutes().map(|minutes| format!("{minutes} minutes"));
    let words: Vec<String> = generations.into_iter().chain(minutes).collect();
    if words.is_empty() { "no bound: it goes on until it is stopped".to_owned() } else { words.join(" or ") }
}

/// `every generation`, `every 2nd generation`, ...
fn every(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        _ if number == 1 => return "every generation".to_owned(),
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("every {number}{ending} generation")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_told_with_their_shares_or_generations() {
        let told = |list: &str| {
            let changed = format!("selfplay.boards = [{list}]");
            boards(&RunConfig::over_base(&changed).unwrap().config)
        };
        assert_eq!(told("{ size = 8, weight = 2.0 }"), "8x8");
        assert_eq!(
            told("{ size = 6, weight = 3.0 }, { size = 8, weight = 1.0 }"),
            "6x6 (75 % of the games), 8x8 (25 % of the games)"
        );
        assert_eq!(
            told("{ size = 6, weight = 1.0, last = 9 }, { size = 10, weight = 0.5, first = 4 }"),
            "6x6 (weight 1, generations 1 to 9), 10x10 (weight 0.5, from generation 4)"
        );
    }

    #[test]
    fn ordinals_end_as_they_are_said() {
        let cases = [(2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st"), (112, "112th")];
        for (number, expected) in cases {
            assert_eq!(every(number), format!("every {expected} generation"));
        }
        assert_eq!(every(1), "every generation");
    }
}

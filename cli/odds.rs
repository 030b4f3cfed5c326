//! Players of a match, each with limits of its own if it is given some.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use hippolyta_game::Position;
use hippolyta_play::{Choice, Limits, Player, PlayerError};

use crate::players::{PlayerName, Seatable};
use crate::values::MOST_MILLIS;

/// What stands behind an `@`, for help texts.
pub(crate) const ODDS_HELP: &str = "Limits of a player's own stand behind an @ and replace --visits and --time-ms for \
    it: insane@100ms, classical@1.5s, net.safetensors@400 (visits), hard@2000,1s.";

/// A player with its odds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entrant {
    pub(crate) player: PlayerName,
    pub(crate) odds: Odds,
}

/// The limits that a player has instead of those of the match; none unless it is given some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Odds {
    visits: Option<u64>,
    time: Option<Duration>,
}

impl FromStr for Entrant {
    type Err = String;

    fn from_str(text: &str) -> Result<Entrant, String> {
        let plain = |text: &str| Ok(Entrant { player: text.parse()?, odds: Odds::default() });
        // A file may have an @ in its name.
        let Some((name, odds)) = text.rsplit_once('@').filter(|_| !Path::new(text).is_file()) else {
            return plain(text);
        };
        match odds.parse() {
            Ok(odds) => Ok(Entrant { player: name.parse()?, odds }),
            // So may a command.
            Err(_) if matches!(text.parse(), Ok(PlayerName::Uci(_))) => plain(text),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.player, self.odds)
    }
}

impl FromStr for Odds {
    type Err = String;

    fn from_str(text: &str) -> Result<Odds, String> {
        let mut odds = Odds::default();
        for limit in text.split(',') {
            let is_new = if let Ok(visits) = limit.parse::<u64>() {
                if !(1..=Limits::MOST_VISITS).contains(&visits) {
                    return Err(format!("{visits} visits: expected from 1 to {}", Limits::MOST_VISITS));
                }
                odds.visits.replace(visits).is_none()
            } else {
                odds.time.replace(time(limit)?).is_none()
            };
            if !is_new {
                return Err(format!("'{text}' limits the same twice"));
            }
        }
        Ok(odds)
    }
}

/// A time as in `100ms` or `1.5s`.
fn time(text: &str) -> Result<Duration, String> {
    let (number, millis) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => ("", 1.0),
    };
    // Signs and exponents are left to numbers that need them.
    let is_plain = number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(['e', 'E']);
    let millis = number.parse::<f64>().ok().filter(|_| is_plain).map(|number| (number * millis).round());
    match millis {
        Some(millis) if (1.0..=MOST_MILLIS as f64).contains(&millis) => {
            Ok(Duration::from_millis(millis as u64))
        }
        Some(_) => Err(format!("'{text}': expected from 1ms to {MOST_MILLIS}ms")),
        None => {
            Err(format!("'{text}' is not a limit: expected a time as in 100ms or 1.5s, or visits as in 400"))
        }
    }
}

/// As it is read, each limit in one spelling.
impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let visits = self.visits.map(|visits| visits.to_string());
        let time = self.time.map(|time| match time.as_millis() {
            millis if millis % 1000 == 0 => format!("{}s", millis / 1000),
            millis => format!("{millis}ms"),
        });
        let limits: Vec<String> = visits.into_iter().chain(time).collect();
        if limits.is_empty() { Ok(()) } else { write!(f, "@{}", limits.join(",")) }
    }
}

impl Entrant {
    /// Whether both are one model file with the same odds.
    pub(crate) fn is_same(&self, other: &Entrant) -> bool {
        self.odds == other.odds && self.player.is_same_file(&other.player)
    }

    /// Reads what the player needs; see [`PlayerName::resolve`]. Its program, if it is one, has `ceiling` for an
    /// answer.
    pub(crate) fn resolve(&self, ceiling: Option<Duration>) -> anyhow::Result<SeatableEntrant> {
        Ok(SeatableEntrant { player: self.player.resolve()?.with_ceiling(ceiling), odds: self.odds })
    }
}

/// A player with its odds that can be seated, as often as there are threads.
#[derive(Debug)]
pub(crate) struct SeatableEntrant {
    player: Seatable,
    odds: Odds,
}

impl SeatableEntrant {
    /// Makes the player, in the form that a match wants.
    pub(crate) fn seat_boxed(&self) -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> {
        Ok(self.odds.limit(self.player.seat_boxed()?))
    }
}

impl Odds {
    /// The player with these limits instead of those that it is given.
    pub(crate) fn limit(self, player: Box<dyn Player>) -> Box<dyn Player> {
        if self == Odds::default() { player } else { Box::new(Limited { player, odds: self }) }
    }
}

/// A player with limits of its own.
struct Limited {
    player: Box<dyn Player>,
    odds: Odds,
}

impl Player for Limited {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        let Odds { visits, time } = self.odds;
        let begun = Instant::now();
        let stop = || time.is_some_and(|time| begun.elapsed() >= time);
        let stop: Option<&dyn Fn() -> bool> = if time.is_some() { Some(&stop) } else { None };
        self.player.choose(position, &Limits { visits, time, stop, ..*limits })
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use hippolyta_play::ClassicalPlayer;

    use super::*;
    use crate::values::start;

    fn spelt(text: &str) -> Result<String, String> {
        text.parse::<Entrant>().map(|entrant| entrant.to_string())
    }

    #[test]
    fn limits_are_read_in_one_spelling() {
        for (text, expected) in [
            ("hard", "hard"),
            ("insane@100ms", "insane@100ms"),
            ("classical@1000ms", "classical@1s"),
            ("classical@1.5s", "classical@1500ms"),
            ("classical@0.25s,400", "classical@400,250ms"),
            ("uci:ssh me@host engine@2s", "uci:ssh me@host engine@2s"),
            ("uci:ssh me@host", "uci:ssh me@host"),
        ] {
            assert_eq!(spelt(text).as_deref(), Ok(expected), "{text}");
        }
        let command: Entrant = "uci:ssh me@host".parse().unwrap();
        assert_eq!((command.odds, command.player), (Odds::default(), PlayerName::Uci("ssh me@host".into())));
    }

    #[test]
    fn wrong_limits_are_quoted() {
        for (text, part) in [
            ("hard@", "''"),
            ("hard@fast", "'fast'"),
            ("hard@-5", "'-5'"),
            ("hard@0", "0 visits"),
            ("hard@99999999999", "99999999999"),
            ("hard@0ms", "'0ms'"),
            ("hard@infs", "'infs'"),
            ("hard@1e3ms", "'1e3ms'"),
            ("hard@5,6", "'5,6'"),
            ("hard@1s,2ms", "'1s,2ms'"),
            ("nobody@1s", "expected random"),
        ] {
            let error = spelt(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_with_an_at_in_its_name_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net@400");
        std::fs::write(&path, "").unwrap();
        let text = path.display().to_string();
        let plain: Entrant = text.parse().unwrap();
        assert_eq!((&plain.player, plain.odds), (&PlayerName::Model(path.clone()), Odds::default()));
        assert_eq!(spelt(&format!("{text}@20")), Ok(format!("{text}@20")));
    }

    #[test]
    fn own_limits_replace_those_of_the_match() {
        let position = start(Board::SIX);
        let visits = |odds: &str, limits: &Limits<'_>| {
            let odds: Odds = odds.parse().unwrap();
            let mut player = odds.limit(Box::new(ClassicalPlayer::with_memory(1).unwrap()));
            player.new_game(1);
            player.choose(&position, limits).unwrap().visits
        };
        let few = visits("2000", &Limits::visits(50_000));
        assert!((1900..2300).contains(&few), "{few}");
        assert_eq!(visits("2000", &Limits::until(&|| true)), few, "a clock of the match does not count");
        let timed = visits("1ms", &Limits::visits(u64::MAX));
        assert!(timed < 1_000_000, "{timed}");
    }
}

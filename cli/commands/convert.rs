//! `convert`: games from one format into another.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use hippolyta_game::notation::{Dialect, Transcript};
use hippolyta_selfplay::{GameRecord, is_record_file, parse_records};

use crate::{output, text_file};

/// Convert games between formats.
///
/// Reads SGF, Little Golem's files, Chinese contest records, Botzone's and SAU's logs, and plain lists of moves, also
/// many games one after another; and the record files of self-play, with what the searches found as comments.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta convert game.sgf --to text\n\
    Example: hippolyta convert runs/quick/games/g000012/*/00000000.games --to sgf")]
pub(crate) struct Arguments {
    /// The games.
    file: PathBuf,
    /// The format to write; only text and sgf carry comments, variations and any start, and only sgf keeps
    /// the properties of SGF that are not about Amazons.
    #[arg(long)]
    to: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Sgf,
    LittleGolem,
    Contest,
    Botzone,
    Sau,
}

impl Format {
    fn dialect(self) -> Dialect {
        match self {
            Format::Text => Dialect::Text,
            Format::Sgf => Dialect::Sgf,
            Format::LittleGolem => Dialect::LittleGolem,
            Format::Contest => Dialect::Contest,
            Format::Botzone => Dialect::Botzone,
            Format::Sau => Dialect::Sau,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let file = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).with_context(|| format!("cannot read {file}"))?;
    let (games, damage) = if is_record_file(&bytes) {
        let read = parse_records(&bytes, &arguments.file);
        (read.records.iter().map(GameRecord::transcript).collect(), read.bad)
    } else {
        let text = text_file::decode(&bytes, &arguments.file)?;
        (Transcript::read_all(&text).with_context(|| file.to_string())?, Vec::new())
    };
    let mut text = String::new();
    for (game, number) in games.iter().zip(1..) {
        let written = game.write(arguments.to.dialect());
        text.push_str(&written.with_context(|| format!("{file}: game {number} of {}", games.len()))?);
    }
    if !text.is_empty() {
        output::text(&text)?;
    }
    // What is whole is written before that.
    if let Some(first) = damage.first() {
        let (whole, damaged) = (games.len(), damage.len());
        bail!("{first}; damaged places: {damaged}, and {whole} whole games, which are written");
    }
    Ok(())
}

//! `convert`: a game from one format into another.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use hippolyta_game::notation::{Dialect, Transcript};

use crate::output;

/// Convert a game between formats.
///
/// Reads SGF, Little Golem's files, Chinese contest records, Botzone's and SAU's logs, and plain lists of moves.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta convert game.sgf --to text")]
pub(crate) struct Arguments {
    /// The game.
    file: PathBuf,
    /// The format to write; only text and sgf carry comments, variations and any start.
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
    let transcript = Transcript::read(&String::from_utf8_lossy(&bytes)).with_context(|| file.to_string())?;
    let text = transcript.write(arguments.to.dialect()).with_context(|| file.to_string())?;
    output::text(&text)
}

//! `export`: hands a network to other programs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use hippolyta_model::{ModelFile, onnx};

use crate::output;

/// Write a network in a form that other programs read.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta export runs/quick/models/g000012.safetensors --to exported\n\
    Example: hippolyta export runs/quick/models/g000012.safetensors --to exported --format onnx")]
pub(crate) struct Arguments {
    /// The model file.
    model: PathBuf,
    /// The folder to write to; made where it does not exist.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The form.
    #[arg(long, value_enum, default_value_t = Format::Safetensors)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// The native file: named tensors in f32 and one JSON object of metadata.
    Safetensors,
    /// One ONNX graph in f32, from input planes to tables, value, owners and margin, for every board.
    Onnx,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Safetensors => "safetensors",
            Format::Onnx => "onnx",
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let model = ModelFile::read(&arguments.model).context("the model cannot be read")?;
    let to = &arguments.to;
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    let path = to.join(file_name(&arguments.model, arguments.format.ending()));
    match arguments.format {
        Format::Safetensors => model.write(&path).context("the model cannot be written")?,
        Format::Onnx => {
            let bytes = onnx::to_bytes(&model);
            hippolyta_files::write_atomic(&path, |out| out.write_all(&bytes))
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
    }
    output::text(&format!(
        "{} ({} parameters)",
        path.display(),
        output::grouped(model.weights.parameters() as u64)
    ))
}

/// The model's name with another ending; of `a.b.safetensors`, only the last part is one, and of `a.b` none.
fn file_name(model: &Path, ending: &str) -> OsString {
    let is_model = model.extension().is_some_and(|extension| extension == "safetensors");
    let name = if is_model { model.file_stem() } else { model.file_name() };
    let mut name = name.unwrap_or("model".as_ref()).to_owned();
    name.push(".");
    name.push(ending);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_dots() {
        for (model, expected) in [
            ("runs/net.safetensors", "net.onnx"),
            ("a.b.safetensors", "a.b.onnx"),
            ("v1.2", "v1.2.onnx"),
            ("net", "net.onnx"),
            (".safetensors", ".safetensors.onnx"),
        ] {
            assert_eq!(file_name(Path::new(model), "onnx"), expected);
        }
    }
}

//! `export`: hands a network to other programs.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

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

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let model = ModelFile::read(&arguments.model).context("the model cannot be read")?;
    let name = arguments.model.file_stem().unwrap_or(OsStr::new("model"));
    let to = &arguments.to;
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    let path = match arguments.format {
        Format::Safetensors => {
            let path = to.join(name).with_extension("safetensors");
            model.write(&path).context("the model cannot be written")?;
            path
        }
        Format::Onnx => {
            let path = to.join(name).with_extension("onnx");
            let bytes = onnx::to_bytes(&model);
            hippolyta_files::write_atomic(&path, |out| out.write_all(&bytes))
                .with_context(|| format!("{} cannot be written", path.display()))?;
            path
        }
    };
    output::text(&format!(
        "{} ({} parameters)",
        path.display(),
        output::grouped(model.weights.parameters() as u64)
    ))
}

//! Networks that the command line names, made ready.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use hippolyta_model::{ModelFile, Network};
use hippolyta_run::evaluators::native_of;

/// A network in the native code, shared by all threads that evaluate with it.
///
/// # Errors
/// When the file is not a model, or this machine cannot run it.
pub(crate) fn native(path: &Path) -> anyhow::Result<Arc<Network>> {
    let model = ModelFile::read(path).context("the model cannot be read")?;
    native_of(&model, model.precision()).with_context(|| format!("{} cannot be run", path.display()))
}

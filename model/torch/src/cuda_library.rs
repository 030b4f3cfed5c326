//! Loads a shared library for the whole process; the only unsafe code of this crate.

use std::path::Path;

/// Loads the library and keeps it until the process ends. Its symbols, and what its initialisers register, are
/// seen by all libraries loaded before and after.
///
/// # Errors
/// The loader's message when the library or one that it needs cannot be loaded.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn load_for_good(library: &Path) -> Result<(), String> {
    use std::error::Error;

    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: loading runs the library's initialisers. The caller passes libtorch_cuda.so out of the folder from
    // which this process already runs libtorch_cpu.so: parts of one release, made to be loaded together.
    let library = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_GLOBAL) };
    // The error itself says only that it failed; its source is what the loader said.
    let library =
        library.map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))?;
    std::mem::forget(library);
    Ok(())
}

/// libtorch has CUDA on Linux alone among the systems that this crate is built for.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn load_for_good(_library: &Path) -> Result<(), String> {
    Err("CUDA is used on Linux only".to_owned())
}

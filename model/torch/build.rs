//! Tells the linker where this crate's tests, and those who link this crate, find libtorch at run time.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(libraries) = env::var_os("DEP_TCH_LIBTORCH_LIB") else {
        // torch-sys names the folder on Linux and macOS only.
        println!("cargo::metadata=link_args=");
        return;
    };
    let libraries = Path::new(&libraries);
    let mut arguments = vec![format!("-Wl,-rpath,{}", libraries.display())];

    // The checkout's own libtorch is found beside target/ even after the checkout has moved: from
    // target/PROFILE/ for a binary and from target/PROFILE/deps/ for a test.
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = checkout.join(".libtorch/lib");
    let is_own =
        own.canonicalize().ok().zip(libraries.canonicalize().ok()).is_some_and(|(own, used)| own == used);
    if is_own && env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        for up in ["../..", "../../.."] {
            arguments.push(format!("-Wl,-rpath,$ORIGIN/{up}/.libtorch/lib"));
        }
    }
    for argument in &arguments {
        println!("cargo::rustc-link-arg={argument}");
    }
    // A library's link arguments do not reach the binaries that depend on it: those print these again in a
    // build script of their own, where cargo hands them over as DEP_HIPPOLYTA_TORCH_LINK_ARGS.
    println!("cargo::metadata=link_args={}", arguments.join("\t"));
}

//! `scripts/setup-libtorch` where it cannot do its work: one line that says why, and nothing left behind.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with a copy of the script, as in a fresh checkout.
fn checkout() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/setup-libtorch");
    fs::copy(script, folder.path().join("scripts/setup-libtorch")).unwrap();
    folder
}

/// The script in that checkout, with no LIBTORCH but what `variables` set.
fn set_up(checkout: &TempDir, variables: &[(&str, &str)]) -> Output {
    Command::new("bash")
        .arg(checkout.path().join("scripts/setup-libtorch"))
        .env_remove("LIBTORCH")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// Asserts that the script failed, with `message` in its last line, and left nothing in the checkout but its lock.
fn refuses(checkout: &TempDir, output: &Output, message: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.lines().last().is_some_and(|line| line.contains(message)), "{message}: {errors}");
    let mut left: Vec<_> =
        fs::read_dir(checkout.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.retain(|name| name != "scripts" && name != ".libtorch.lock");
    assert!(left.is_empty(), "{left:?}");
}

/// An unpacked libtorch, as far as the script looks at it.
fn libtorch(version_file: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(version_file), text).unwrap();
    folder
}

#[test]
fn a_libtorch_of_the_persons_own_is_taken_when_its_version_fits() {
    let checkout = checkout();
    for (file, text) in
        [("build-version", "2.11.0+cu130\n"), ("version.py", "__version__ = '2.11.0+cu130'\n")]
    {
        let own = libtorch(file, text);
        let output = set_up(&checkout, &[("LIBTORCH", own.path().to_str().unwrap())]);
        assert!(output.status.success(), "{output:?}");
        assert!(!checkout.path().join(".libtorch").exists());
    }
}

#[test]
fn a_libtorch_of_another_version_is_refused_by_its_version() {
    let checkout = checkout();
    let own = libtorch("build-version", "2.9.1+cpu\n");
    let output = set_up(&checkout, &[("LIBTORCH", own.path().to_str().unwrap())]);
    refuses(&checkout, &output, "is version 2.9.1+cpu, but 2.11.0 is needed");
}

#[test]
fn a_libtorch_folder_without_a_version_is_refused_by_its_name() {
    let checkout = checkout();
    let output = set_up(&checkout, &[("LIBTORCH", "no/such/folder")]);
    refuses(&checkout, &output, "LIBTORCH=no/such/folder");
}

#[test]
fn without_python_the_message_says_how_to_get_it() {
    let checkout = checkout();
    let tools = tempfile::tempdir().unwrap();
    for tool in ["bash", "cat", "dirname", "readlink", "uname"] {
        let path = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap().stdout;
        let path = String::from_utf8(path).unwrap();
        std::os::unix::fs::symlink(path.trim(), tools.path().join(tool)).unwrap();
    }
    let output = set_up(&checkout, &[("PATH", tools.path().to_str().unwrap())]);
    refuses(&checkout, &output, "python3 is missing (Debian: apt-get install python3-pip");
}

#[test]
fn without_a_network_the_message_says_so_and_nothing_is_left() {
    let checkout = checkout();
    // Nothing listens on the discard port.
    let variables = [
        ("PIP_INDEX_URL", "http://127.0.0.1:9/simple"),
        ("PIP_FIND_LINKS", ""),
        ("PIP_RETRIES", "0"),
        ("PIP_CONFIG_FILE", "/dev/null"),
    ];
    let output = set_up(&checkout, &variables);
    refuses(&checkout, &output, "the download failed (no network?)");
}

//! Keeps the plan of the code: who may depend on whom, and what may stand in a source file.

mod circles;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The workspace from the ground up, as (package, folder): each imports only from those before it.
const ROWS: [(&str, &str); 13] = [
    ("hippolyta-files", "files"),
    ("hippolyta-game", "game"),
    ("hippolyta-search", "search"),
    ("hippolyta-model", "model"),
    ("hippolyta-selfplay", "selfplay"),
    ("hippolyta-play", "play"),
    ("hippolyta-eval", "eval"),
    ("hippolyta-torch", "model/torch"),
    ("hippolyta-train", "train"),
    ("hippolyta-run", "run"),
    ("hippolyta-web", "web"),
    ("hippolyta-bind", "web/bind"),
    ("hippolyta", ""),
];

/// A dependency, and the only packages that may name it outside their tests.
const RESERVED: [(&str, &[&str]); 7] = [
    ("tch", &["hippolyta-torch", "hippolyta-train"]),
    ("torch-sys", &["hippolyta-torch", "hippolyta-train"]),
    ("clap", &["hippolyta"]),
    ("anyhow", &["hippolyta"]),
    ("indicatif", &["hippolyta"]),
    // Whoever plays takes any Evaluator; it knows no network.
    (
        "hippolyta-model",
        &["hippolyta-torch", "hippolyta-train", "hippolyta-run", "hippolyta-web", "hippolyta"],
    ),
    ("hippolyta-torch", &["hippolyta-train", "hippolyta-run", "hippolyta"]),
];

/// What the rules and the search may not depend on: logs, files, formats.
const NOT_IN_THE_CORE: [&str; 4] = ["tracing", "serde_json", "hippolyta-files", "rayon"];

/// Longest source file, in lines.
const LONGEST_FILE: usize = 900;
/// Longest line of a page for people, and of a comment, in characters; rustfmt sees to the code. Tables cannot be
/// broken.
const LONGEST_LINE: usize = 120;

// The words looked for are put together here, so that this file does not find itself.
const UNSAFE: &str = concat!("un", "safe");
const UNFINISHED: [&str; 3] = [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("db", "g!")];
const PRINTING: [&str; 4] =
    [concat!("print", "ln!"), concat!("print", "!"), concat!("eprint", "ln!"), concat!("eprint", "!")];
const CLOCKS: [&str; 3] = [concat!("Inst", "ant"), concat!("System", "Time"), concat!("thread", "_rng")];
const MACHINE_PATHS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ho", "me/")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

#[test]
fn packages_depend_on_rows_below_them_only() {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]))
            .unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let named: BTreeSet<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    assert_eq!(
        named,
        ROWS.iter().map(|&(name, _)| name).collect(),
        "the workspace's packages and ROWS differ"
    );

    let height: BTreeMap<&str, usize> =
        ROWS.iter().enumerate().map(|(row, &(name, _))| (name, row)).collect();
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let wanted = dependency["name"].as_str().unwrap();
            if height.get(wanted).is_some_and(|&row| row >= height[name]) {
                wrong.push(format!("{name} is not above {wanted}"));
            }
            if dependency["kind"] == "dev" {
                continue;
            }
            if RESERVED.iter().any(|&(reserved, to)| reserved == wanted && !to.contains(&name)) {
                wrong.push(format!("{name} must not depend on {wanted}"));
            }
            if ["hippolyta-game", "hippolyta-search"].contains(&name) && NOT_IN_THE_CORE.contains(&wanted) {
                wrong.push(format!("{name} must not depend on {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_needs_libtorch_without_the_torch_feature() {
    let tree = cargo(&["tree", "--offline", "--prefix", "none", "--edges", "normal,build"]);
    assert!(tree.contains("hippolyta-game"), "{tree}");
    let found: Vec<&str> = tree
        .lines()
        .filter(|line| ["tch ", "torch-sys "].iter().any(|name| line.starts_with(name)))
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn packages_inherit_the_workspace_lints() {
    for (name, folder) in ROWS {
        let manifest: toml::Table =
            fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap().parse().unwrap();
        let inherits =
            manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(inherits, Some(true), "{name} does not say [lints] workspace = true");
    }
}

#[test]
fn source_files_are_tidy() {
    let files = text_files(root());
    assert!(files.iter().any(|(path, _)| path == Path::new("game/src/lib.rs")), "the sources were not found");
    let complaints: Vec<String> = files.iter().flat_map(|(path, text)| complaints(path, text)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn each_rule_finds_what_it_is_for() {
    let check = |path: &str, text: &str, expected: usize| {
        let found = complaints(Path::new(path), text);
        assert_eq!(found.len(), expected, "{path}: {text:?}: {found:?}");
    };
    check("game/src/a.rs", "fn a() {}\n", 0);
    check("game/src/a.rs", &"\n".repeat(LONGEST_FILE + 1), 1);
    check("game/src/a.rs", &format!("{UNSAFE} {{ f() }}"), 1);
    check("game/src/a.rs", &format!("#[allow({UNSAFE}_code)] // {UNSAFE}"), 0);
    check("model/src/kernel/avx2.rs", &format!("{UNSAFE} fn f() {{}}"), 0);
    check("model/torch/src/cuda_library.rs", &format!("{UNSAFE} {{ f() }}"), 0);
    check("cli/main.rs", &format!("let x = {}(y);", UNFINISHED[2]), 1);
    check("cli/main.rs", &format!("{}(\"done\");", PRINTING[0]), 0);
    check("eval/src/a.rs", &format!("{}(\"done\");", PRINTING[0]), 1);
    check("eval/src/a.rs", &format!("/// {}(\"done\");", PRINTING[0]), 0);
    check("eval/src/a.rs", &format!("#[cfg(test)]\nmod tests {{ {}(\"done\"); }}", PRINTING[0]), 0);
    check("train/build.rs", &format!("{}(\"cargo::x\");", PRINTING[0]), 0);
    check("search/src/a.rs", &format!("use std::time::{};", CLOCKS[0]), 1);
    check("eval/src/a.rs", &format!("use std::time::{};", CLOCKS[0]), 0);
    check("docs/a.md", &"x".repeat(LONGEST_LINE + 1), 1);
    check("docs/a.md", &"\u{e9}".repeat(LONGEST_LINE), 0);
    check("docs/a.md", &format!("| {}", "x".repeat(LONGEST_LINE)), 0);
    check("eval/src/a.rs", &format!("    /// {}", "x".repeat(LONGEST_LINE)), 1);
    check("eval/src/a.rs", &format!("    /// | {}", "x".repeat(LONGEST_LINE)), 0);
    check("docs/a.md", &format!("see `{}someone/x`", MACHINE_PATHS[1]), 1);
    check("docs/a.md", &format!("https://example.org{}x", MACHINE_PATHS[0]), 0);
}

/// What is wrong with a file; `path` is relative to the workspace.
fn complaints(path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let is_page = path.extension().is_some_and(|extension| extension == "md");
    if is_rust && text.lines().count() > LONGEST_FILE {
        found.push(format!("{}: over {LONGEST_FILE} lines: look for the second noun in it", path.display()));
    }
    let mut in_tests = false;
    for (index, line) in text.lines().enumerate() {
        in_tests |= matches!(line.trim(), "#[cfg(test)]" | "#![cfg(test)]");
        let place = format!("{}:{}", path.display(), index + 1);
        let is_text = is_page || is_rust && line.trim_start().starts_with("//");
        let is_table = line.trim_start_matches(['/', '!', ' ']).starts_with('|');
        if is_text && !is_table && line.chars().count() > LONGEST_LINE {
            found.push(format!("{place}: over {LONGEST_LINE} characters"));
        }
        if MACHINE_PATHS.iter().any(|start| names_machine_path(line, start)) {
            found.push(format!("{place}: a path of one machine: {}", line.trim()));
        }
        if is_rust {
            found.extend(complaints_on_code(path, line).map(|complaint| format!("{place}: {complaint}")));
            // A measurement among the tests may print; clippy asks it for a reason.
            if !in_tests && prints_in_library(path, line) {
                found.push(format!("{place}: a library prints"));
            }
        }
    }
    found
}

/// What is wrong with a line of Rust wherever it stands.
fn complaints_on_code(path: &Path, line: &str) -> impl Iterator<Item = String> {
    let words = words(line);
    let holds = |listed: &[&'static str]| listed.iter().copied().find(|word| words.contains(word));
    let is_simd = path.starts_with("model/src/kernel");
    let may_be_unsafe = is_simd || path == Path::new("model/torch/src/cuda_library.rs");
    let in_core = path.starts_with("game/src") || path.starts_with("search/src");

    let mut found = Vec::new();
    if !may_be_unsafe && words.contains(UNSAFE) {
        found.push(format!("{UNSAFE} outside the SIMD kernels"));
    }
    if let Some(word) = holds(&UNFINISHED) {
        found.push(format!("{word} is left over"));
    }
    if let Some(word) = in_core.then(|| holds(&CLOCKS)).flatten() {
        found.push(format!("{word}: the rules and the search know no clock and draw from seeds alone"));
    }
    found.into_iter()
}

fn prints_in_library(path: &Path, line: &str) -> bool {
    let in_library =
        ROWS.iter().any(|(_, folder)| !folder.is_empty() && path.starts_with(format!("{folder}/src")));
    let words = words(line);
    in_library && PRINTING.iter().any(|word| words.contains(word))
}

/// The words of a line of Rust before its comment, each with the `!` that makes it a macro's call.
fn words(line: &str) -> BTreeSet<&str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!')).collect()
}

/// Whether `start` begins an absolute path in the line, and is no middle part of another path or address.
fn names_machine_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/}*".contains(c))
    })
}

/// All text files of the checkout but what is built, fetched or trained, with paths relative to it.
fn text_files(root: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if [".git", "target", "runs", "node_modules"].contains(&&*name) || name.starts_with(".libtorch") {
                continue;
            }
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                // What is not UTF-8 is no text.
                if let Ok(text) = fs::read_to_string(entry.path()) {
                    files.push((entry.path().strip_prefix(root).unwrap().to_path_buf(), text));
                }
            }
        }
    }
    files.sort();
    files
}

//! Files of one crate that need each other in a circle: none of them can be read, moved or tested without the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{ROWS, root, text_files};

/// The circles that still stand, each by its files. A circle may lose files; one that is gone leaves the list, and no
/// other may come.
const STANDING: [&[&str]; 9] = [
    &["game/src/solve/search.rs", "game/src/solve/table.rs", "game/src/solve.rs"],
    &[
        "model/src/calibration.rs",
        "model/src/file.rs",
        "model/src/kernel/isa.rs",
        "model/src/kernel/mod.rs",
        "model/src/kernel/pack.rs",
        "model/src/kernel/peak.rs",
        "model/src/network.rs",
        "model/src/policy.rs",
        "model/src/quantisation.rs",
    ],
    &["model/src/heads.rs", "model/src/spec.rs"],
    &["model/src/kernel/conv.rs", "model/src/kernel/layer.rs", "model/src/kernel/winograd.rs"],
    &["selfplay/src/boards.rs", "selfplay/src/config.rs", "selfplay/src/searches.rs"],
    &["selfplay/src/chunks.rs", "selfplay/src/generation.rs", "selfplay/src/worker.rs"],
    &["selfplay/src/outcome.rs", "selfplay/src/record.rs"],
    &["eval/src/ladder/saved.rs", "eval/src/ladder.rs"],
    &[
        "run/src/history.rs",
        "run/src/inspect.rs",
        "run/src/observer.rs",
        "run/src/play.rs",
        "run/src/rating.rs",
        "run/src/row.rs",
        "run/src/standings.rs",
        "run/src/tensorboard.rs",
        "run/src/work.rs",
    ],
];

/// How many re-exports a name is followed through.
const LONGEST_CHAIN: usize = 8;

#[test]
fn files_need_each_other_in_no_new_circle() {
    let texts: BTreeMap<PathBuf, String> = text_files(root()).into_iter().collect();
    let mut standing: Vec<BTreeSet<&Path>> =
        STANDING.iter().map(|files| files.iter().map(Path::new).collect()).collect();
    let mut complaints = Vec::new();
    for (_, folder) in ROWS {
        let krate = Crate::of(&texts, folder);
        assert!(!krate.files.is_empty(), "no file of the crate in '{folder}' was found");
        for circle in krate.circles() {
            let allowed = standing.iter().position(|known| circle.iter().all(|file| known.contains(file)));
            match allowed {
                Some(_) => {}
                None => complaints.push(format!("a new circle of files:\n{}", krate.describe(&circle))),
            }
            if let Some(at) = allowed.filter(|&at| standing[at].len() > circle.len()) {
                standing[at].retain(|file| circle.contains(file));
                complaints.push(format!("a circle has become smaller; in STANDING write {:?}", standing[at]));
            }
        }
        let found = krate.circles();
        let of_crate = |known: &&BTreeSet<&Path>| known.iter().all(|file| krate.files.contains_key(*file));
        for known in standing.iter().filter(of_crate) {
            if !found.iter().any(|circle| circle == known) {
                complaints.push(format!("a circle is cut; in STANDING remove {known:?}"));
            }
        }
    }
    for file in STANDING.iter().flat_map(|files| files.iter()) {
        if !texts.contains_key(Path::new(file)) {
            complaints.push(format!("STANDING names {file}, which does not exist"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn circles_are_found_through_every_kind_of_path() {
    let found = |files: &[(&str, &str)]| -> Vec<Vec<String>> {
        let texts = files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
        let krate = Crate::of(&texts, "x");
        let circles = krate.circles();
        circles.iter().map(|circle| circle.iter().map(|file| file.display().to_string()).collect()).collect()
    };
    let ab = [["x/src/a.rs", "x/src/b.rs"].map(str::to_owned).to_vec()];
    let root = ("x/src/lib.rs", "mod a;\nmod b;\npub use a::Thing;\npub use b::{Other as Renamed, f};\n");
    let none: [Vec<String>; 0] = [];
    // By use, by a path in the code, through a re-export of the root, and through an imported module.
    for (a, b) in [
        ("use crate::b::Other;", "use crate::a::Thing;"),
        ("use super::b;", "fn g() -> crate::a::Thing {}"),
        ("use crate::{Renamed, x};", "use super::{a::{self, Thing}};"),
        ("use crate::b;\nfn g() { b::f() }", "use crate::Thing;"),
    ] {
        assert_eq!(found(&[root, ("x/src/a.rs", a), ("x/src/b.rs", b)]), ab, "{a} | {b}");
    }
    // Not by comments, tests, re-exports or one direction alone.
    for (a, b) in [
        ("use crate::b::Other;", "// use crate::a::Thing;\nuse std::fmt;"),
        ("use crate::b::Other;", "#[cfg(test)]\nmod tests {\n    use crate::a::Thing;\n}\n"),
        ("use crate::b::Other;", "pub fn f() {}"),
    ] {
        assert_eq!(found(&[root, ("x/src/a.rs", a), ("x/src/b.rs", b)]), none, "{a} | {b}");
    }
    // A folder's face and what stands in it.
    let face = |mod_rs, child| {
        found(&[("x/src/lib.rs", "mod a;"), ("x/src/a/mod.rs", mod_rs), ("x/src/a/child.rs", child)])
    };
    assert_eq!(face("mod child;\npub use child::C;\npub struct A;", "use super::A;"), none);
    assert_eq!(
        face("mod child;\npub struct A;\nfn f() { child::g() }", "use super::A;"),
        [["x/src/a/child.rs", "x/src/a/mod.rs"].map(str::to_owned).to_vec()]
    );
    let tested = "#[cfg(test)]\nmod child;\npub struct A;\nfn f() { child::g() }";
    assert_eq!(face(tested, "use super::A;"), none);
}

/// A module by its names from the crate's root.
type Module = Vec<String>;

/// What a file says of other modules.
#[derive(Default)]
struct Source {
    module: Module,
    /// What `use` makes known in the file: a name, and the path that it stands for.
    names: BTreeMap<String, Module>,
    /// Paths that the file needs, as they are written.
    paths: Vec<Module>,
    /// Modules that are for tests alone.
    test_modules: BTreeSet<String>,
}

struct Crate<'a> {
    files: BTreeMap<&'a Path, Source>,
    /// The file of each module.
    modules: BTreeMap<Module, &'a Path>,
}

impl<'a> Crate<'a> {
    /// The crate in a folder of the workspace, without its tests.
    fn of(texts: &'a BTreeMap<PathBuf, String>, folder: &str) -> Crate<'a> {
        let sources = if folder.is_empty() { PathBuf::from("cli") } else { Path::new(folder).join("src") };
        let mut files = BTreeMap::new();
        for (path, text) in texts {
            let Ok(inner) = path.strip_prefix(&sources) else { continue };
            if path.extension().is_some_and(|extension| extension == "rs") {
                files.insert(path.as_path(), Source::read(module_of(inner), text));
            }
        }
        let for_tests: BTreeSet<Module> = files.values().flat_map(Source::modules_for_tests).collect();
        let is_for_tests = |module: &Module| (1..=module.len()).any(|end| for_tests.contains(&module[..end]));
        files.retain(|_, source| !is_for_tests(&source.module));
        let modules = files.iter().map(|(path, source)| (source.module.clone(), *path)).collect();
        Crate { files, modules }
    }

    /// The file that a path means which stands in `module`, if it is one of this crate.
    fn file(&self, module: &Module, path: &[String], chain: usize) -> Option<&'a Path> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.clone(),
            "super" => module.split_last()?.1.to_vec(),
            name => {
                let child = [module.as_slice(), &[name.to_owned()]].concat();
                if !self.modules.contains_key(&child) {
                    return self.file_by_name(module, path, chain);
                }
                child
            }
        };
        while let Some((name, after)) = rest.split_first() {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if name == "super" {
                at.pop();
            } else if self.modules.contains_key(&child) {
                at = child;
            } else {
                return self.file_by_name(&at, rest, chain).or_else(|| self.modules.get(&at).copied());
            }
            rest = after;
        }
        self.modules.get(&at).copied()
    }

    /// The file of a path whose first name the module knows by a `use`.
    fn file_by_name(&self, module: &Module, path: &[String], chain: usize) -> Option<&'a Path> {
        let (name, rest) = path.split_first()?;
        let known = self.files[self.modules.get(module)?].names.get(name)?;
        if chain == LONGEST_CHAIN || known.first() == Some(name) && known.len() == 1 {
            return None;
        }
        self.file(module, &[known.as_slice(), rest].concat(), chain + 1)
    }

    /// What each file needs: another file, by the paths that say so.
    fn needs(&self, file: &Path) -> BTreeMap<&'a Path, BTreeSet<String>> {
        let source = &self.files[file];
        let mut needs: BTreeMap<&Path, BTreeSet<String>> = BTreeMap::new();
        for path in &source.paths {
            if let Some(other) = self.file(&source.module, path, 0).filter(|other| *other != file) {
                needs.entry(other).or_default().insert(path.join("::"));
            }
        }
        needs
    }

    /// All that a file needs, and what that needs.
    fn reached(&self, file: &Path) -> BTreeSet<&'a Path> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&Path> = self.needs(file).into_keys().collect();
        while let Some(file) = next.pop() {
            if reached.insert(file) {
                next.extend(self.needs(file).into_keys());
            }
        }
        reached
    }

    fn circles(&self) -> BTreeSet<BTreeSet<&'a Path>> {
        let reached: BTreeMap<&Path, BTreeSet<&Path>> =
            self.files.keys().map(|&file| (file, self.reached(file))).collect();
        let circle = |file: &'a Path| -> BTreeSet<&'a Path> {
            reached[file].iter().copied().filter(|other| reached[other].contains(file)).collect()
        };
        self.files.keys().map(|&file| circle(file)).filter(|circle| circle.len() > 1).collect()
    }

    /// What ties a circle.
    fn describe(&self, circle: &BTreeSet<&Path>) -> String {
        let mut lines = Vec::new();
        for file in circle {
            for (other, paths) in self.needs(file).into_iter().filter(|(other, _)| circle.contains(other)) {
                let paths: Vec<String> = paths.into_iter().collect();
                lines.push(format!("  {} -> {}: {}", file.display(), other.display(), paths.join(", ")));
            }
        }
        lines.join("\n")
    }
}

/// The module of a file, whose path is relative to the crate's root.
fn module_of(file: &Path) -> Module {
    let mut module: Module =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    module
}

impl Source {
    fn read(module: Module, text: &str) -> Source {
        let mut source = Source { module, ..Source::default() };
        let mut code = String::new();
        let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default()).peekable();
        while let Some(line) = lines.next() {
            if line.trim() != "#[cfg(test)]" {
                code.push_str(line);
                code.push('\n');
                continue;
            }
            let Some(tested) = lines.next().map(str::trim) else { break };
            if let Some((_, name)) = tested.trim_end_matches([';', '{', ' ']).rsplit_once("mod ") {
                if tested.ends_with('{') {
                    // By the house's custom, a file's own tests stand at its end.
                    break;
                }
                source.test_modules.insert(name.to_owned());
            }
        }
        let tokens = tokens(&code);
        let mut at = 0;
        while at < tokens.len() {
            let is_public = at > 0 && ["pub", ")"].contains(&tokens[at - 1]);
            if tokens[at] == "use" {
                at += 1;
                let from = source.paths.len();
                source.read_tree(&tokens, &mut at, &Module::new());
                if is_public {
                    // It hands the names on.
                    source.paths.truncate(from);
                }
            } else if is_name(tokens[at]) && tokens.get(at + 1) == Some(&"::") {
                let path = read_path(&tokens, &mut at);
                source.paths.push(path);
            } else {
                at += 1;
            }
        }
        source
    }

    /// Reads what stands between `use` and `;`, or a part of it between braces and commas.
    fn read_tree(&mut self, tokens: &[&str], at: &mut usize, before: &Module) {
        let mut path = before.clone();
        path.extend(read_path(tokens, at));
        match tokens.get(*at) {
            Some(&"{") => {
                *at += 1;
                while *at < tokens.len() && tokens[*at] != "}" {
                    self.read_tree(tokens, at, &path);
                    if tokens.get(*at) == Some(&",") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            Some(&"*") => {
                *at += 1;
                self.paths.push(path);
                return;
            }
            _ => {}
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let mut name = path.last().map_or("", String::as_str);
        if tokens.get(*at) == Some(&"as") {
            name = tokens.get(*at + 1).copied().unwrap_or_default();
            *at += 2;
        } else if !matches!(tokens.get(*at), Some(&(";" | "," | "}"))) {
            // Not what a `use` looks like: go on behind it.
            *at += 1;
        }
        self.names.insert(name.to_owned(), path.clone());
        self.paths.push(path);
    }

    fn modules_for_tests(&self) -> impl Iterator<Item = Module> {
        self.test_modules.iter().map(|name| [self.module.as_slice(), std::slice::from_ref(name)].concat())
    }
}

/// Names with `::` between them, and behind them where braces or a star follow.
fn read_path(tokens: &[&str], at: &mut usize) -> Module {
    let mut path = Module::new();
    if tokens.get(*at) == Some(&"::") {
        *at += 1;
    }
    while *at < tokens.len() && is_name(tokens[*at]) {
        path.push(tokens[*at].to_owned());
        *at += 1;
        if tokens.get(*at) != Some(&"::") {
            break;
        }
        *at += 1;
    }
    path
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// Names, `::` and all other signs one by one.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if is_part(first) {
            rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

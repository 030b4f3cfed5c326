//! `doctor`: checks what training and playing need, and says what to do.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::bail;
use clap::Args;
use hippolyta_run::{Finding, LocalStore, RunStore as _, inspect, keys};

use crate::at_work::failed;
use crate::output;

/// Free space below which a long run will end early: games and checkpoints of a ten-minute run take far less.
const ENOUGH_DISK: u64 = 1 << 30;

/// Check libtorch, instruction sets, cores, disk, and the run directory with its files.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta doctor --run runs/quick")]
pub(crate) struct Arguments {
    /// The run directory to look at; it need not exist.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    run: PathBuf,
}

/// A line of the report.
struct Check {
    good: bool,
    subject: &'static str,
    finding: String,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut checks = vec![libtorch(), instructions(), cores()];
    checks.extend([directory(&arguments.run), disk(&arguments.run)]);
    checks.extend(run_files(&arguments.run)?);
    for check in &checks {
        let mark = if check.good { "ok  " } else { "BAD " };
        output::text(&format!("{mark}{:<14}{}", check.subject, check.finding))?;
    }
    match checks.iter().filter(|check| !check.good).count() {
        0 => Ok(()),
        bad => bail!("{bad} of {} checks failed; each line marked BAD says what to do", checks.len()),
    }
}

#[cfg(feature = "torch")]
fn libtorch() -> Check {
    let version = hippolyta_torch::libtorch_version().unwrap_or_else(|| "of unknown version".to_owned());
    let folder = hippolyta_torch::libtorch_folder()
        .map_or_else(String::new, |folder| format!(" in {}", folder.display()));
    let good = version.starts_with("2.11.0");
    let advice = if good { "" } else { "; 2.11.0 is needed: unset LIBTORCH and run 'make build' again" };
    let cuda = hippolyta_torch::cuda_status();
    Check { good, subject: "libtorch", finding: format!("{version}{folder}{advice}; {cuda}") }
}

#[cfg(not(feature = "torch"))]
fn libtorch() -> Check {
    let finding =
        "not in this build: it plays and measures but does not train ('make build' makes one that does)";
    Check { good: true, subject: "libtorch", finding: finding.to_owned() }
}

fn instructions() -> Check {
    let found = found_instructions();
    let finding = if found.is_empty() {
        "none that the kernels use: evaluation runs the portable code, several times slower".to_owned()
    } else {
        found.join(" ")
    };
    Check { good: true, subject: "instructions", finding }
}

#[cfg(target_arch = "x86_64")]
fn found_instructions() -> Vec<&'static str> {
    let all = [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avxvnni", is_x86_feature_detected!("avxvnni")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512vnni", is_x86_feature_detected!("avx512vnni")),
        ("avx512bf16", is_x86_feature_detected!("avx512bf16")),
    ];
    all.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn found_instructions() -> Vec<&'static str> {
    vec!["neon"]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn found_instructions() -> Vec<&'static str> {
    Vec::new()
}

fn cores() -> Check {
    match thread::available_parallelism() {
        Ok(cores) => Check { good: true, subject: "cores", finding: cores.to_string() },
        Err(error) => Check {
            good: false,
            subject: "cores",
            finding: format!("unknown ({error}); name the number of threads in the config"),
        },
    }
}

/// What is wrong with a run's files, and what the next `train` will do; nothing where there is no run.
fn run_files(run: &Path) -> anyhow::Result<Vec<Check>> {
    let subject = "run files";
    let store = LocalStore::new(run);
    if store.list(keys::MODELS)?.is_empty() && store.list(keys::MANIFESTS)?.is_empty() {
        return Ok(Vec::new());
    }
    let found = inspect(&store).map_err(failed)?;
    if found.is_empty() {
        let finding = "all are what the run made".to_owned();
        return Ok(vec![Check { good: true, subject, finding }]);
    }
    let check = |found: Finding| {
        let finding = format!("{}: the next 'train' {}", found.damage, found.next);
        Check { good: false, subject, finding }
    };
    Ok(found.into_iter().map(check).collect())
}

/// The nearest folder at or above `path` that exists.
fn existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.ancestors().find(|folder| folder.is_dir()).map_or_else(|| PathBuf::from("/"), Path::to_path_buf)
}

fn directory(run: &Path) -> Check {
    let subject = "run directory";
    let folder = existing(run);
    // Whether a folder can be written is best found by writing.
    let probe = || tempfile::tempfile_in(&folder)?.write_all(b"probe");
    match probe() {
        Ok(()) => {
            let state = if run.is_dir() { "exists and" } else { "will be made;" };
            Check { good: true, subject, finding: format!("{} {state} can be written", run.display()) }
        }
        Err(error) => Check {
            good: false,
            subject,
            finding: format!("{} cannot be written ({error}): choose another with --run", folder.display()),
        },
    }
}

fn disk(run: &Path) -> Check {
    let subject = "disk";
    let folder = existing(run);
    match fs4::available_space(&folder) {
        Ok(free) => {
            let good = free >= ENOUGH_DISK;
            let advice = if good { "" } else { ": make room, or choose another disk with --run" };
            let gib = free as f64 / (1 << 30) as f64;
            Check { good, subject, finding: format!("{gib:.1} GiB free at {}{advice}", folder.display()) }
        }
        Err(error) => {
            let finding = format!("free space at {} is unknown ({error})", folder.display());
            Check { good: false, subject, finding }
        }
    }
}

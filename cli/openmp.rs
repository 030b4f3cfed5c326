//! The threads of libtorch, which are OpenMP's.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// What a person may have set to have it another way.
const SETTINGS: [&str; 3] = ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"];

/// Makes OpenMP's threads sleep where they wait for each other, by starting this program anew in the same process
/// with `OMP_WAIT_POLICY=passive`: OpenMP reads it before `main`. By default they spin, and on cores that anything
/// else uses too, training is then several times slower.
pub(crate) fn wait_passively() {
    if SETTINGS.iter().any(|setting| env::var_os(setting).is_some()) {
        return;
    }
    if let Ok(program) = env::current_exe() {
        // Comes back only if it failed; then training is as it is without.
        let _ = Command::new(program).args(env::args_os().skip(1)).env(SETTINGS[0], "passive").exec();
    }
}

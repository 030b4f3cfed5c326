//! How much memory the machine has.

use std::fs;

/// The machine's memory in MiB, where the system says it.
pub(crate) fn of_machine() -> Option<u64> {
    total(&fs::read_to_string("/proc/meminfo").ok()?)
}

/// The total in the text of `/proc/meminfo`, in MiB.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read() {
        let text = "MemFree:  1 kB\nMemTotal:       24689044 kB\n";
        assert_eq!(total(text), Some(24_110));
        assert_eq!(total("MemTotal: much"), None);
    }
}

//! The figures, and how people read them.

use serde::Serialize;

use super::{network, rules};
use crate::output::grouped;

/// All figures. What ends in `_all` is of all threads together, the rest of one.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) net: String,
    pub(super) size: u8,
    pub(super) threads: usize,
    #[serde(flatten)]
    pub(super) network: network::Speeds,
    #[serde(flatten)]
    pub(super) rules: rules::Speeds,
    pub(super) selfplay_games_per_s: f64,
    pub(super) selfplay_positions_per_s: f64,
    pub(super) selfplay_games_per_s_all: f64,
    pub(super) selfplay_positions_per_s_all: f64,
    /// See [`signature`](super::signature::signature).
    pub(super) signature: String,
}

/// A table of all figures: a line each, for one thread and, where it was measured, for all.
pub(super) fn of(report: &Report) -> String {
    let Report { network, rules, .. } = report;
    let mut lines = vec![
        format!("network {} in int8 on {size}x{size}", report.net, size = report.size),
        format!("{:34}{:>14}{:>14}", "", "1 thread", format!("{} threads", report.threads)),
    ];
    let mut line = |what: &str, one: &str, all: &str, note: String| {
        lines.push(format!("{what:34}{one:>14}{all:>14}  {note}").trim_end().to_owned());
    };
    for (precision, gops) in
        [("int8", network.peak_int8_gops), ("bf16", network.peak_bf16_gops), ("f32", network.peak_f32_gops)]
    {
        line(&format!("peak of a core, {precision}"), &number(gops), "", "10^9 operations a second".into());
    }
    let ratio = |ratio: f64, of: &str| format!("{ratio:.2} of {of}");
    line(
        "bare network, evaluations/s",
        &number(network.net_evals_per_s),
        "",
        format!(
            "{:.2} of the peak; {:.2} if every product were done",
            network.net_ratio_to_peak, network.net_direct_ratio_to_peak
        ),
    );
    line(
        "whole evaluations/s",
        &number(network.evals_per_s),
        &number(network.evals_per_s_all),
        ratio(network.evals_ratio_to_net, "the bare network"),
    );
    line(
        "visits of a search/s",
        &number(network.visits_per_s),
        &number(network.visits_per_s_all),
        format!(
            "{:.2} of whole evaluations, with {:.2} evaluations a visit; all threads {:.2} of one",
            network.visits_ratio_to_evals, network.evals_per_visit, network.visits_ratio_all_to_one
        ),
    );
    if let Some(torch) = &network.libtorch {
        for (batch, rate, times) in [
            (1, torch.torch_evals_per_s_batch1, torch.evals_ratio_to_torch_batch1),
            (32, torch.torch_evals_per_s_batch32, torch.evals_ratio_to_torch_batch32),
        ] {
            let note = format!("whole evaluations are {times:.1} times as fast");
            line(&format!("libtorch f32, batch {batch}, evaluations/s"), &number(rate), "", note);
        }
    }
    line(
        "self-play, games/s",
        &number(report.selfplay_games_per_s),
        &number(report.selfplay_games_per_s_all),
        String::new(),
    );
    line(
        "self-play, positions/s",
        &number(report.selfplay_positions_per_s),
        &number(report.selfplay_positions_per_s_all),
        "searched in full".into(),
    );
    line("moves generated/s", &number(rules.moves_per_s), "", String::new());
    line("perft 2, ms", &number(rules.perft2_ms), "", String::new());
    line("verdict, median us", &number(rules.verdict_median_us), "", String::new());
    line("verdict, 99th percentile us", &number(rules.verdict_p99_us), "", String::new());
    line(
        "classical, evaluations/s",
        &number(rules.classical_nodes_per_s),
        "",
        format!("{:.1} plies deep in {:.1} s", rules.classical_depth, rules.classical_seconds),
    );
    lines.push(format!("signature {}", report.signature));
    lines.join("\n") + "\n"
}

/// Whole where that is exact enough.
fn number(value: f64) -> String {
    if value >= 100.0 { grouped(value.round() as u64) } else { format!("{value:.2}") }
}

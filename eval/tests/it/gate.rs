use crate::players::{contestant, make};
use hippolyta_eval::{EloModel, Gate, GateConfig, GateReport, SprtConfig, SprtVerdict};
use hippolyta_game::Board;
use hippolyta_play::Level;

fn config(max_games: u64) -> GateConfig {
    GateConfig {
        max_games,
        opening_plies: 4,
        visits: 1,
        sprt: SprtConfig { model: EloModel::Normalized, elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 },
    }
}

fn gate(candidate: Level, champion: Level, boards: &[Board], max_games: u64, threads: usize) -> GateReport {
    let (make_candidate, make_champion) = (make(candidate), make(champion));
    let gate = Gate {
        candidate: contestant(candidate.name(), &*make_candidate),
        champion: contestant(champion.name(), &*make_champion),
        boards,
        config: config(max_games),
        seed: 5,
        threads,
    };
    gate.play(&|| false, &mut |_| {}, &mut |_| {}).unwrap().unwrap()
}

#[test]
fn the_stronger_passes_and_the_weaker_fails() {
    let up = gate(Level::Easy, Level::Random, &[Board::SIX], 400, 2);
    assert!(up.accepted && up.sprt.verdict == SprtVerdict::Passed && up.sprt.llr >= up.sprt.upper);
    assert!(up.pairs.games() < 200 && up.score > 0.8 && up.elo_interval[0] > 0.0);
    let down = gate(Level::Random, Level::Easy, &[Board::SIX], 400, 2);
    assert!(!down.accepted && down.sprt.verdict == SprtVerdict::Failed);
}

#[test]
fn the_champion_stays_when_the_cap_ends_the_match() {
    let report = gate(Level::Easy, Level::Random, &[Board::SIX], 4, 2);
    assert!(!report.accepted && report.sprt.verdict == SprtVerdict::Open);
    assert_eq!(report.pairs.games(), 4);
}

#[test]
fn threads_change_nothing() {
    let one = gate(Level::Easy, Level::Random, &[Board::SIX], 400, 1);
    assert_eq!(gate(Level::Easy, Level::Random, &[Board::SIX], 400, 3), one);
}

#[test]
fn boards_take_turns() {
    let report = gate(Level::Easy, Level::Random, &[Board::SIX, Board::EIGHT], 10, 2);
    assert_eq!(report.boards, ["6x6", "8x8"]);
    assert_eq!(report.pairs.games(), 10);
}

#[test]
fn an_interrupted_gate_decides_nothing() {
    let (a, b) = (make(Level::Easy), make(Level::Random));
    let gate = Gate {
        candidate: contestant("a", &*a),
        champion: contestant("b", &*b),
        boards: &[Board::SIX],
        config: config(100),
        seed: 5,
        threads: 2,
    };
    assert_eq!(gate.play(&|| true, &mut |_| {}, &mut |_| {}).unwrap(), None);
}

#[test]
fn a_report_comes_back_from_json() {
    let report = gate(Level::Easy, Level::Random, &[Board::SIX], 20, 2);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<GateReport>(&json).unwrap(), report);
}

#[test]
fn configs_are_checked() {
    let text = "max_games = 600\nopening_plies = 4\nvisits = 64\n\
        [sprt]\nmodel = \"normalized\"\nelo0 = 0.0\nelo1 = 35.0\nalpha = 0.05\nbeta = 0.05\n";
    let good: GateConfig = toml::from_str(text).unwrap();
    good.check().unwrap();
    let unknown = toml::from_str::<GateConfig>(&text.replace("visits", "vists")).unwrap_err();
    assert!(unknown.to_string().contains("vists"));
    let unknown = toml::from_str::<GateConfig>(&text.replace("alpha", "alhpa")).unwrap_err();
    assert!(unknown.to_string().contains("alhpa"));
    let odd = GateConfig { max_games: 601, ..good }.check().unwrap_err();
    assert_eq!(odd.to_string(), "gate.terms.max_games = 601: must be an even number from 2 to 10000000");
    for visits in [0, 1 << 32] {
        let error = GateConfig { visits, ..good }.check().unwrap_err();
        let expected = format!("gate.terms.visits = {visits}: must be from 1 to 4294967295");
        assert_eq!(error.to_string(), expected);
    }
    let plies = GateConfig { opening_plies: 92, ..good }.check().unwrap_err();
    assert_eq!(plies.to_string(), "gate.terms.opening_plies = 92: must be at most 91");
    let sprt = SprtConfig { elo1: -1.0, ..good.sprt };
    assert!(GateConfig { sprt, ..good }.check().unwrap_err().to_string().contains("0 and -1"));
}

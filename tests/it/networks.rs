//! What is done with a model file: exporting it and asking it about positions.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hippolyta_model::{ModelFile, NetSpec, Weights};
use serde_json::Value;

use crate::binary::{Finished, finish, hippolyta};

const START: &str = "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w";

/// An untrained network without calibration, in a file.
pub(crate) fn model(folder: &Path) -> PathBuf {
    let spec = NetSpec { value_hidden: 16, ..NetSpec::with_trunk(2, 16, &[1]) };
    let weights = Weights::untrained(spec, 5).unwrap();
    let path = folder.join("net.safetensors");
    ModelFile { weights, calibration: None, history: BTreeMap::new() }.write(&path).unwrap();
    path
}

fn evaluate(model: &Path, arguments: &str, last: &str) -> Finished {
    finish(hippolyta("evaluate").arg(model).args(arguments.split_whitespace()).arg(last))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn a_network_is_exported_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let to = folder.path().join("exported");
    let export = |format: &str| {
        finish(hippolyta("export").arg(&model).arg("--to").arg(&to).args(["--format", format]))
    };
    for (format, name) in [("safetensors", "net.safetensors"), ("onnx", "net.onnx")] {
        let finished = export(format);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(finished.stdout.contains(name), "{}", finished.stdout);
    }
    assert_eq!(fs::read(to.join("net.safetensors")).unwrap(), fs::read(&model).unwrap());
    let hash = evaluate(&model, "--json --fen", START).json()["hash"].as_str().unwrap().to_owned();
    let onnx = fs::read(to.join("net.onnx")).unwrap();
    assert!(onnx.windows(hash.len()).any(|piece| piece == hash.as_bytes()), "{hash} is not in the file");
    export("torch").refuses("torch");
}

#[test]
fn an_exported_network_keeps_the_dots_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let dotted = folder.path().join("a.b.safetensors");
    fs::rename(model(folder.path()), &dotted).unwrap();
    // Beside it lies what a shorter name would hit.
    let other = folder.path().join("a.safetensors");
    fs::write(&other, "another").unwrap();
    for format in ["safetensors", "onnx"] {
        let mut export = hippolyta("export");
        let finished = finish(export.arg(&dotted).arg("--to").arg(folder.path()).args(["--format", format]));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(folder.path().join(format!("a.b.{format}")).is_file(), "{}", finished.stdout);
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), "another");
}

#[test]
fn an_evaluation_holds_what_a_front_end_needs() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let fens = folder.path().join("positions.txt");
    fs::write(&fens, format!("\u{feff}{START}\r\n\n1q1q1/q3q/Q3Q/1Q1Q1 b\n")).unwrap();
    let report = evaluate(&model, "--planes --tables --json --fens", fens.to_str().unwrap()).json();
    let mut from_stdin = hippolyta("evaluate");
    from_stdin.arg(&model).args(["--planes", "--tables", "--json", "--fens", "-"]);
    assert_eq!(finish(from_stdin.stdin(File::open(&fens).unwrap())).json(), report);
    // Without a calibration it is not int8.
    assert_eq!(report["precision"], "f32");
    let [start, small] = report["positions"].as_array().unwrap().as_slice() else { panic!("two positions") };
    assert_eq!(small["fen"], "1q1q1/q3q/Q3Q/1Q1Q1 b");
    assert_eq!(numbers(&small["owner"]).len(), 20);

    assert_eq!(numbers(&start["planes"][0]).iter().filter(|&&x| x > 0.0).count(), 4);
    assert_eq!(numbers(&start["planes"][19]), [1.0; 36]);
    assert_eq!(start["planes"].as_array().unwrap().len(), 20);
    assert_eq!(start["margin_logits"].as_array().unwrap().len(), 65);
    assert!(start["value"].as_f64().unwrap().abs() <= 1.0, "{}", start["value"]);
    let moves = start["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 544);
    let sum: f64 = moves.iter().map(|scored| scored["probability"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    for scored in moves {
        let name = scored["move"].as_str().unwrap().as_bytes();
        let [from, to, arrow] = [0, 3, 6].map(|at| square(&name[at..at + 2]));
        let tables = &start["tables"];
        let entry = |table: &str, query: usize, key: usize| tables[table][query][key].as_f64().unwrap();
        let logit =
            entry("from_to", from, to) + entry("to_arrow", to, arrow) + entry("from_arrow", from, arrow);
        assert!((logit - scored["logit"].as_f64().unwrap()).abs() < 1e-5, "{scored}");
    }
}

/// The dense index of a square of the 6x6 board.
fn square(name: &[u8]) -> usize {
    usize::from(name[1] - b'1') * 6 + usize::from(name[0] - b'a')
}

#[test]
fn an_evaluation_speaks_to_people() {
    let folder = tempfile::tempdir().unwrap();
    let finished = evaluate(&model(folder.path()), "--fen", START);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("544 legal moves"), "{}", finished.stdout);
}

#[test]
fn what_cannot_be_evaluated_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    evaluate(&model, "--fen", "3x/4/4/4 w").refuses("'x' in rank '3x'");
    finish(hippolyta("evaluate").arg(&model)).refuses("--fen");
    evaluate(&model, "--planes --fen", START).refuses("--json");
    evaluate(&model, "--precision int8 --fen", START).fails(1, &["net.safetensors", "int8 needs calibrated"]);

    let fens = folder.path().join("positions.txt");
    let from_file = || evaluate(&model, "--fens", fens.to_str().unwrap());
    from_file().fails(1, &["positions.txt"]);
    fs::write(&fens, format!("{START}\nnonsense\n")).unwrap();
    from_file().fails(2, &["positions.txt, line 2", "nonsense"]);
    fs::write(&fens, "\n").unwrap();
    from_file().fails(2, &["positions.txt holds no position"]);
    evaluate(&fens, "--fen", START).fails(1, &["positions.txt", "not a safetensors file"]);
}

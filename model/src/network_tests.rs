//! The network on every instruction set against the oracle.

use hippolyta_game::{Board, Position};
use hippolyta_search::seed;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::features::Features;
use crate::oracle::{Answer, Oracle};
use crate::spec::{PLANES, SIDES};
use crate::{
    Calibration, Channels, Head, Heads, Isa, NetSpec, Network, Output, Precision, Product, TrunkBits,
    Weights, calibrate,
};

/// Untrained weights with biases that are not 0.
fn weights(spec: NetSpec, seed: u64) -> Weights {
    let mut random = SplitMix64::seed_from_u64(seed);
    let weights = Weights::untrained(spec.clone(), seed).unwrap();
    let tensors = weights.iter().map(|(tensor, data)| {
        let mut data = data.to_vec();
        if tensor.name.ends_with("bias") {
            for x in &mut data {
                *x = (random.next_u64() % 100) as f32 / 500.0 - 0.1;
            }
        }
        (tensor.name, tensor.shape, data)
    });
    Weights::new(spec, tensors.collect::<Vec<_>>()).unwrap()
}

/// Planes as they come: mostly 0, many 1, some fractions.
fn planes(files: usize, ranks: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut one = || match random.next_u64() % 8 {
        0 | 1 => 1.0,
        2 => 1.0 / (1 + random.next_u64() % 9) as f32,
        _ => 0.0,
    };
    (0..files * ranks * PLANES).map(|_| one()).collect()
}

fn calibration(weights: &Weights) -> Calibration {
    let boards = [(6, 6), (8, 8), (10, 10), (3, 4)];
    calibrate(weights, boards.into_iter().zip(1..).map(|((f, r), seed)| (planes(f, r, seed), f, r))).unwrap()
}

fn everything(network: &Network, planes: &[f32], files: usize, ranks: usize) -> Answer {
    let (mut scratch, mut out) = (network.scratch(), network.output());
    network.forward(&mut scratch, planes, files, ranks, Heads::ALL, &mut out);
    answer(&out, files * ranks)
}

fn answer(out: &Output, area: usize) -> Answer {
    let mut row = vec![0.0; out.policy.row_len()];
    let products = [Product::FromTo, Product::ToArrow, Product::FromArrow].map(|product| {
        let one = |query| {
            out.policy.row(product, query, &mut row);
            assert!(row[area..].iter().all(|x| *x == 0.0));
            row[..area].to_vec()
        };
        (0..area).map(one).collect()
    });
    let others = Head::shipped().filter(|head| *head != Head::Policy);
    Answer { heads: others.map(|head| out.head(head).to_vec()).collect(), products }
}

/// Every number of an answer, in one list.
fn numbers(answer: &Answer) -> Vec<f32> {
    let products = answer.products.iter().flatten().flatten();
    answer.heads.iter().flatten().chain(products).copied().collect()
}

#[track_caller]
fn same_bits(left: &Answer, right: &Answer, what: &str) {
    for (i, (l, r)) in numbers(left).iter().zip(&numbers(right)).enumerate() {
        assert!(
            l.to_bits() == r.to_bits() || (*l == 0.0 && *r == 0.0),
            "{what}: number {i} is {l}, expected {r}"
        );
    }
}

#[track_caller]
fn close(left: &Answer, right: &Answer, tolerance: f32, what: &str) {
    for (i, (l, r)) in numbers(left).iter().zip(&numbers(right)).enumerate() {
        assert!((l - r).abs() <= tolerance * (1.0 + r.abs()), "{what}: number {i} is {l}, expected {r}");
    }
}

#[test]
fn every_board_on_every_instruction_set() {
    // Three vectors of outputs on AVX-512: both sizes of tile.
    let weights = weights(NetSpec::with_trunk(1, 48, &[0]), 3);
    let seven = calibration(&weights);
    let eight = Calibration { trunk_bits: TrunkBits::Eight, ..seven.clone() };
    let networks = |precision, calibration| -> Vec<Network> {
        let new = |isa| Network::new(&weights, Some(calibration), precision, isa).unwrap();
        Isa::available(precision).map(new).collect()
    };
    let int8 = [&seven, &eight].map(|known| (known, networks(Precision::Int8, known)));
    let [bf16, f32] = [Precision::Bf16, Precision::F32].map(|precision| networks(precision, &seven));
    for files in SIDES {
        for ranks in SIDES {
            let planes = planes(files, ranks, (files * 11 + ranks) as u64);
            let oracle =
                |calibration| Oracle { weights: &weights, calibration, files, ranks }.forward(&planes);
            for (calibration, networks) in &int8 {
                let quantised = oracle(Some(*calibration));
                for network in networks {
                    let bits = calibration.trunk_bits;
                    let what = format!("int8 on {:?}, {bits:?}, {files} x {ranks}", network.isa());
                    same_bits(&everything(network, &planes, files, ranks), &quantised, &what);
                }
            }
            let exact = oracle(None);
            for (networks, tolerance) in [(&f32, 2e-5), (&bf16, 3e-2)] {
                for network in networks {
                    let what = format!("{:?} on {:?}, {files} x {ranks}", network.precision(), network.isa());
                    close(&everything(network, &planes, files, ranks), &exact, tolerance, &what);
                }
            }
        }
    }
}

/// Every fourth position of the first 16 plies of a game by random moves.
fn positions(board: Board) -> Vec<Position> {
    let mut random = SplitMix64::seed_from_u64(1);
    let mut moves = Vec::new();
    let mut position = Position::start(board).expect("a board that is played has a start");
    let mut found = Vec::new();
    for ply in 0..16 {
        if ply % 4 == 0 {
            found.push(position);
        }
        moves.clear();
        position.moves(&mut moves);
        position = position.play_unchecked(moves[(random.next_u64() % moves.len() as u64) as usize]);
    }
    found
}

/// Mixes the bits of everything that int8 says of positions of every board that is played, with ranges of whole tensors
/// or channel by channel. They are fixed: those found in f32 may differ in their last bits.
fn signature(isa: Isa, by_channel: bool, trunk_bits: TrunkBits) -> u64 {
    let spec = NetSpec::with_trunk(2, 48, &[0, 1]);
    let tensors = 1 + 2 * spec.blocks;
    let channels = |tensor: usize, step: f32| -> Vec<f32> {
        (0..spec.channels).map(|channel| ((channel * 7 + tensor) % 9) as f32 * step).collect()
    };
    let calibration = Calibration {
        positions: 1,
        trunk_bits,
        maxima: vec![4.0; tensors],
        channels: by_channel.then(|| Channels {
            planes: (0..PLANES).map(|plane| plane as f32 / 32.0).collect(),
            maxima: (0..tensors).map(|tensor| channels(tensor, 0.5)).collect(),
            means: (0..tensors).map(|tensor| channels(tensor, 0.375)).collect(),
        }),
        deviation: None,
    };
    let network = Network::new(&weights(spec, 21), Some(&calibration), Precision::Int8, isa).unwrap();
    let mut features = Features::new();
    let mut signature = 0;
    for board in Board::PLAYED {
        for position in positions(board) {
            let mut planes = vec![0.0; board.area() * PLANES];
            features.read(&position);
            features.write_squares(&mut planes);
            let answer = everything(&network, &planes, board.files().into(), board.ranks().into());
            let bits: Vec<u64> = numbers(&answer).into_iter().map(|x| x.to_bits().into()).collect();
            signature = seed::derive(signature, &bits);
        }
    }
    signature
}

/// A change of these numbers means that networks say something else: say so where they are changed. The first two are
/// of what files of formats 1 and 2 know. `make wasm` runs this as WebAssembly.
#[test]
fn int8_has_the_same_bits_everywhere() {
    for isa in Isa::available(Precision::Int8) {
        let found = [(false, TrunkBits::Eight), (true, TrunkBits::Eight), (true, TrunkBits::Seven)]
            .map(|(by_channel, bits)| format!("{:016x}", signature(isa, by_channel, bits)));
        assert_eq!(found, ["b4eea1e07f6767f4", "c6ada18c3de9bfb8", "c1a856702eee8a2f"], "{isa:?}");
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[test]
fn vectors_are_used_where_webassembly_has_them() {
    for precision in [Precision::Int8, Precision::F32] {
        assert_eq!(Isa::best(precision), Isa::Simd128);
    }
}

#[test]
fn every_width_of_network() {
    for channels in [16, 32, 64, 80, 128, 512] {
        let mut spec = NetSpec::with_trunk(1, channels, &[0]);
        spec.policy_dim = if channels == 32 { 32 } else { 16 };
        spec.value_hidden = 16 + channels % 64;
        let weights = weights(spec, channels as u64);
        let seven = calibration(&weights);
        let eight = Calibration { trunk_bits: TrunkBits::Eight, ..seven.clone() };
        for (files, ranks) in [(6, 4), (10, 3)] {
            let planes = planes(files, ranks, 1);
            let oracle =
                |calibration| Oracle { weights: &weights, calibration, files, ranks }.forward(&planes);
            for calibration in [&seven, &eight] {
                let expected = oracle(Some(calibration));
                for isa in Isa::available(Precision::Int8) {
                    let network = Network::new(&weights, Some(calibration), Precision::Int8, isa).unwrap();
                    let bits = calibration.trunk_bits;
                    let what = format!("{channels} channels, {bits:?}, on {isa:?}, {files} x {ranks}");
                    same_bits(&everything(&network, &planes, files, ranks), &expected, &what);
                }
            }
            let network = Network::new(&weights, None, Precision::F32, Isa::best(Precision::F32)).unwrap();
            close(
                &everything(&network, &planes, files, ranks),
                &oracle(None),
                2e-5,
                &format!("{channels} channels"),
            );
        }
    }
}

#[test]
fn int8_stays_near_f32() {
    let weights = weights(NetSpec::with_trunk(4, 64, &[1, 2]), 5);
    let seven = calibration(&weights);
    assert_eq!(seven.trunk_bits, TrunkBits::Seven);
    let eight = Calibration { trunk_bits: TrunkBits::Eight, ..seven.clone() };
    let new = |precision, calibration| {
        Network::new(&weights, Some(calibration), precision, Isa::best(precision)).unwrap()
    };
    let f32 = new(Precision::F32, &seven);
    for calibration in [&seven, &eight] {
        let int8 = new(Precision::Int8, calibration);
        for seed in 0..20 {
            let planes = planes(8, 8, 100 + seed);
            let [found, expected] = [&int8, &f32].map(|network| everything(network, &planes, 8, 8));
            close(&found, &expected, 0.05, &format!("int8 against f32, {:?}", calibration.trunk_bits));
        }
    }
}

/// A rare plane with large weights, as trained networks have: by channel the other planes have finer steps, and what
/// rounding shifts is taken back.
#[test]
fn ranges_of_channels_bring_int8_nearer() {
    let plain = weights(NetSpec::with_trunk(2, 48, &[1]), 6);
    let tensors = plain.iter().map(|(tensor, data)| {
        let large = |i: usize| tensor.name == "stem.weight" && i / 9 % PLANES == 1;
        let data = data.iter().enumerate().map(|(i, x)| if large(i) { 8.0 * x } else { *x }).collect();
        (tensor.name, tensor.shape, data)
    });
    let weights = Weights::new(plain.spec().clone(), tensors.collect::<Vec<_>>()).unwrap();
    let planes = |seed| {
        let mut planes = planes(6, 6, seed);
        planes.iter_mut().skip(PLANES + 1).step_by(PLANES).for_each(|x| *x = 0.0);
        planes
    };
    let by_channel = calibrate(&weights, (0..10).map(|seed| (planes(seed), 6, 6))).unwrap();
    let by_channel = Calibration { trunk_bits: TrunkBits::Eight, ..by_channel };
    let by_tensor = Calibration { channels: None, ..by_channel.clone() };
    let f32 = Network::new(&weights, None, Precision::F32, Isa::Portable).unwrap();
    let error = |calibration| {
        let int8 = Network::new(&weights, Some(calibration), Precision::Int8, Isa::Portable).unwrap();
        let of = |seed| {
            let planes = planes(seed);
            let [a, b] = [&int8, &f32].map(|network| numbers(&everything(network, &planes, 6, 6)));
            a.iter().zip(&b).map(|(a, b)| f64::from((a - b).abs())).sum::<f64>()
        };
        (0..10).map(|seed| of(200 + seed)).sum::<f64>()
    };
    assert!(error(&by_channel) < 0.7 * error(&by_tensor), "{} {}", error(&by_channel), error(&by_tensor));
}

#[test]
fn an_evaluation_depends_on_nothing_before_it() {
    let weights = weights(NetSpec::with_trunk(2, 32, &[0, 1]), 9);
    let calibration = calibration(&weights);
    for precision in [Precision::Int8, Precision::Bf16, Precision::F32] {
        let network = Network::new(&weights, Some(&calibration), precision, Isa::best(precision)).unwrap();
        let (mut scratch, mut out) = (network.scratch(), network.output());
        let boards = [(10, 10), (6, 6), (9, 4), (10, 10), (3, 3), (6, 6)];
        for ((files, ranks), seed) in boards.into_iter().zip([1, 2, 3, 4, 5, 2]) {
            let planes = planes(files, ranks, seed);
            network.forward(&mut scratch, &planes, files, ranks, Heads::ALL, &mut out);
            let alone = everything(&network, &planes, files, ranks);
            same_bits(&answer(&out, files * ranks), &alone, &format!("{precision:?}, {files} x {ranks}"));
        }
    }
}

#[test]
fn heads_come_only_when_asked_for() {
    let weights = weights(NetSpec::with_trunk(1, 16, &[]), 1);
    let network = Network::new(&weights, None, Precision::F32, Isa::Portable).unwrap();
    let (mut scratch, mut out) = (network.scratch(), network.output());
    let mut lengths = |heads| {
        network.forward(&mut scratch, &planes(6, 6, 1), 6, 6, heads, &mut out);
        [Head::Value, Head::Margin, Head::Owner].map(|head| out.head(head).len())
    };
    assert_eq!(lengths(Heads::ALL), [1, 65, 36]);
    assert_eq!(lengths(Heads::of(&[Head::Margin])), [1, 65, 0]);
    assert_eq!(lengths(Heads::default()), [1, 0, 0]);
}

/// Of 28 products of ranks on ten ranks, of 19 on seven, of 7 on three, 20, 15 and 7 are left in the trunk.
#[test]
fn seven_bits_need_fewer_operations() {
    let weights = weights(NetSpec::with_trunk(1, 16, &[]), 1);
    let seven = calibration(&weights);
    let eight = Calibration { trunk_bits: TrunkBits::Eight, ..seven.clone() };
    for isa in Isa::available(Precision::Int8) {
        let [seven, eight] =
            [&seven, &eight].map(|known| Network::new(&weights, Some(known), Precision::Int8, isa).unwrap());
        assert_eq!(eight.operations(10, 7), weights.spec().operations(10, 7));
        let saved = |ranks: u64, products| 2 * 2 * 16 * 16 * 28 * (3 * ranks - 2 - products);
        assert_eq!(eight.operations(10, 10) - seven.operations(10, 10), saved(10, 20));
        assert_eq!(eight.operations(10, 7) - seven.operations(10, 7), saved(7, 15));
        assert_eq!(eight.operations(10, 3), seven.operations(10, 3));
    }
}

#[test]
fn what_cannot_run_is_refused() {
    let weights = weights(NetSpec::with_trunk(1, 16, &[]), 1);
    let refusal = |calibration, precision, isa| {
        Network::new(&weights, calibration, precision, isa).unwrap_err().to_string()
    };
    assert!(refusal(None, Precision::Int8, Isa::Portable).starts_with("int8 needs calibrated ranges"));
    let short = Calibration { maxima: vec![1.0], channels: None, ..calibration(&weights) };
    assert_eq!(
        refusal(Some(&short), Precision::Int8, Isa::Portable),
        "calibration has 1 maxima, the network needs 3"
    );
    assert_eq!(refusal(None, Precision::F32, Isa::AvxVnni), "AvxVnni does not run F32 here");
    let nothing: [(Vec<f32>, usize, usize); 0] = [];
    assert_eq!(
        calibrate(&weights, nothing).unwrap_err().to_string(),
        "calibration over 0 positions says nothing"
    );
}

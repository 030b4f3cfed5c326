//! The bare network, one position at a time, and the peak that it is measured against.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use hippolyta_model::{
    Calibration, Heads, Isa, NetSpec, Network, Peak, Precision, TrunkBits, Weights, features::PLANES,
};

fn main() {
    divan::main();
}

const SIDES: [usize; 3] = [6, 8, 10];

fn network(blocks: usize, channels: usize, precision: Precision, isa: Isa) -> Network {
    let pooled = vec![1, blocks - 1];
    let spec = NetSpec::with_trunk(blocks, channels, &pooled);
    let calibration = Calibration {
        positions: 1,
        trunk_bits: TrunkBits::Seven,
        maxima: vec![4.0; 1 + 2 * blocks],
        channels: None,
        deviation: None,
    };
    let weights = Weights::untrained(spec, 1).expect("the spec is valid");
    Network::new(&weights, Some(&calibration), precision, isa).expect("the instruction set is available")
}

/// Items a second are operations: compare with the peak below.
fn forward(bencher: Bencher, network: &Network, side: usize) {
    let (mut scratch, mut out) = (network.scratch(), network.output());
    let planes: Vec<f32> = (0..side * side * PLANES).map(|i| (i * 7 % 5 == 0) as u8 as f32).collect();
    bencher.counter(ItemsCount::new(network.operations(side, side))).bench_local(|| {
        network.forward(&mut scratch, black_box(&planes), side, side, Heads::default(), &mut out);
        out.value()
    });
}

#[divan::bench(args = SIDES, consts = [Precision::Int8 as u8, Precision::Bf16 as u8, Precision::F32 as u8])]
fn b6x64<const PRECISION: u8>(bencher: Bencher, side: usize) {
    let precision = precision(PRECISION);
    forward(bencher, &network(6, 64, precision, Isa::best(precision)), side);
}

#[divan::bench(args = SIDES, consts = [48, 96, 128])]
fn int8_of_width<const CHANNELS: usize>(bencher: Bencher, side: usize) {
    forward(bencher, &network(6, CHANNELS, Precision::Int8, Isa::best(Precision::Int8)), side);
}

#[divan::bench(args = SIDES)]
fn int8_avx2(bencher: Bencher, side: usize) {
    if Isa::available(Precision::Int8).any(|isa| isa == Isa::Avx2) {
        forward(bencher, &network(6, 64, Precision::Int8, Isa::Avx2), side);
    }
}

#[divan::bench(args = SIDES)]
fn int8_portable(bencher: Bencher, side: usize) {
    forward(bencher, &network(6, 64, Precision::Int8, Isa::Portable), side);
}

#[divan::bench(consts = [Precision::Int8 as u8, Precision::Bf16 as u8, Precision::F32 as u8])]
fn peak<const PRECISION: u8>(bencher: Bencher) {
    let precision = precision(PRECISION);
    let peak = Peak::new(Isa::best(precision), precision).expect("the best instruction set is available");
    bencher.counter(ItemsCount::new(peak.run(10_000))).bench_local(|| peak.run(10_000));
}

fn precision(number: u8) -> Precision {
    [Precision::Int8, Precision::Bf16, Precision::F32][number as usize]
}

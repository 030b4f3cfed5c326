//! How activations and weights are stored: 32-bit words of one to four channels, in aligned buffers.

/// Channels that are kept together in the activations of a square; every width is a multiple of it.
pub(crate) const CHUNK: usize = 16;

/// How one activation or weight is stored; a 32-bit word holds [`Storage::group`] of them, the first channel
/// in its lowest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// One f32.
    F32,
    /// Two bf16.
    Bf16,
    /// Four bytes: activations 0..=255, or weights -127..=127.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "VNNI alone takes bytes"))]
    Bytes,
    /// The same numbers, two to a word, for instruction sets that multiply 16-bit integers exactly.
    Shorts,
}

impl Storage {
    /// Channels in a word.
    pub(crate) const fn group(self) -> usize {
        match self {
            Storage::F32 => 1,
            Storage::Bf16 | Storage::Shorts => 2,
            Storage::Bytes => 4,
        }
    }

    /// Whether numbers are integers times a scale.
    pub(crate) const fn quantised(self) -> bool {
        matches!(self, Storage::Bytes | Storage::Shorts)
    }

    /// Words that hold the activations of a chunk of one square.
    pub(crate) const fn words_per_chunk(self) -> usize {
        CHUNK / self.group()
    }

    /// A word of up to [`Storage::group`] numbers, which are integers if the storage is quantised.
    pub(crate) fn word(self, numbers: impl IntoIterator<Item = f32>) -> u32 {
        let bits = 32 / self.group() as u32;
        numbers.into_iter().zip(0..).fold(0, |word, (number, place)| {
            let one = match self {
                Storage::F32 => number.to_bits(),
                Storage::Bf16 => u32::from(to_bf16(number)),
                Storage::Bytes => u32::from(number as i32 as u8),
                Storage::Shorts => u32::from(number as i32 as u16),
            };
            word | one << (bits * place)
        })
    }
}

/// The largest activation that a byte holds.
pub(crate) const BYTE_LIMIT: f32 = 255.0;

/// The nearest bf16, ties to even, of a finite number.
pub(crate) fn to_bf16(number: f32) -> u16 {
    let bits = number.to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The integer from 0 to `most` nearest to `x`, ties to even; NaN gives `most`, a whole number up to 255. Adding 2^23
/// leaves the rounded integer in the low bits, in the rounding mode that is the only one Rust has.
#[inline(always)]
pub(crate) fn round_to_byte(x: f32, most: f32) -> u32 {
    let within = if x < most { x } else { most };
    let within = if within > 0.0 { within } else { 0.0 };
    (within + 8_388_608.0).to_bits() & 0xff
}

/// Bytes of a cache line; no vector is longer.
pub(crate) const LINE: usize = 64;

/// A cache line; makes a vector of words start on one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Line<T>([T; 16]);

/// A buffer of 32-bit numbers that starts on a cache line.
#[derive(Clone, Debug)]
pub(crate) struct Buffer<T> {
    lines: Vec<Line<T>>,
    len: usize,
}

pub(crate) type Words = Buffer<u32>;
pub(crate) type Floats = Buffer<f32>;

impl<T: Copy + Default> Buffer<T> {
    /// `len` zeros.
    pub(crate) fn new(len: usize) -> Self {
        Self { lines: vec![Line::default(); len.div_ceil(16)], len }
    }

    /// The numbers in their order.
    pub(crate) fn from_iter(values: impl ExactSizeIterator<Item = T>) -> Self {
        let mut buffer = Self::new(values.len());
        buffer.iter_mut().zip(values).for_each(|(to, from)| *to = from);
        buffer
    }
}

impl<T> std::ops::Deref for Buffer<T> {
    type Target = [T];

    #[allow(unsafe_code, reason = "lines of arrays are one run of elements")]
    fn deref(&self) -> &[T] {
        // SAFETY: `Line` is `repr(C)` over an array whose size is its alignment, so the lines hold 16 elements
        // each without gaps, and `len` is at most 16 times their number.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T> std::ops::DerefMut for Buffer<T> {
    #[allow(unsafe_code, reason = "lines of arrays are one run of elements")]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; the borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_their_channels_lowest_first() {
        assert_eq!(Storage::Bytes.word([1.0, -1.0, 127.0, -127.0]), 0x81_7f_ff_01);
        assert_eq!(Storage::Shorts.word([255.0, -127.0]), 0xff81_00ff);
        assert_eq!(Storage::Bf16.word([1.0, -2.0]), 0xc000_3f80);
        assert_eq!(Storage::F32.word([1.0]), 0x3f80_0000);
    }

    #[test]
    fn bytes_round_to_even_and_saturate() {
        let rounded = [-3.0, 0.5, 1.5, 2.5, 254.5, 255.5, 1e9, f32::NAN];
        assert_eq!(rounded.map(|x| round_to_byte(x, 255.0)), [0, 0, 2, 2, 254, 255, 255, 255]);
        assert_eq!(rounded.map(|x| round_to_byte(x, 127.0)), [0, 0, 2, 2, 127, 127, 127, 127]);
    }

    #[test]
    fn buffers_start_on_a_line() {
        let buffer = Words::from_iter(0..35);
        assert_eq!(buffer.as_ptr().align_offset(64), 0);
        assert_eq!(buffer.len(), 35);
        assert!(buffer.iter().copied().eq(0..35));
    }
}

//! The policy's three products of maps, for whoever scores moves.

use crate::kernel::{CHUNK, Floats, Kernels};

/// The three products that make a move's logit: `FromTo[from, to] + ToArrow[to, arrow] + FromArrow[from, arrow]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// The amazon's square, and where it goes.
    FromTo,
    /// Where it goes, and where it shoots from there.
    ToArrow,
    /// The amazon's square, and where it shoots in the end.
    FromArrow,
}

/// Queries and keys of one position.
///
/// Squares are dense indices, `rank * files + file`. A row scores every key square for one query square; only
/// the rows that occur in legal moves need to be computed.
#[derive(Clone, Debug)]
pub struct Policy {
    kernels: Kernels,
    /// Channels of a map.
    dim: usize,
    files: usize,
    area: usize,
    /// Squares in a row, a multiple of 16.
    stride: usize,
    /// `[rank][chunk][file][16]`: for each product, a query and a key map of `dim` channels.
    maps: Floats,
    /// `[product][channel][stride]`: the keys, lanes being squares.
    keys: Floats,
}

/// Squares of the largest board in a row.
pub const LONGEST_ROW: usize = 112;

impl Policy {
    pub(crate) fn new(kernels: Kernels, dim: usize) -> Self {
        let maps = Floats::new(6 * dim * 100);
        let keys = Floats::new(3 * dim * LONGEST_ROW);
        Self { kernels, dim, files: 0, area: 0, stride: 0, maps, keys }
    }

    /// Where the network stores its maps.
    pub(crate) fn maps_mut(&mut self) -> &mut [f32] {
        &mut self.maps
    }

    /// Brings the keys into rows, once the maps of a board are stored.
    pub(crate) fn finish(&mut self, files: usize, ranks: usize) {
        let (per_map, chunks) = (self.dim / CHUNK, 6 * self.dim / CHUNK);
        if self.area != files * ranks {
            // What lies between the area and the stride is never written, and has to be zero.
            self.keys.fill(0.0);
        }
        self.files = files;
        self.area = files * ranks;
        self.stride = self.area.next_multiple_of(CHUNK);
        for product in 0..3 {
            for chunk in 0..per_map {
                let at = (product * per_map + chunk) * CHUNK * self.stride;
                let out = &mut self.keys[at..at + CHUNK * self.stride];
                let from = ((2 * product + 1) * per_map + chunk, chunks);
                self.kernels.transpose(&self.maps, (files, ranks), from, self.stride, out);
            }
        }
    }

    /// Length of a row: the board's area, rounded up to a multiple of 16; at most [`LONGEST_ROW`].
    pub fn row_len(&self) -> usize {
        self.stride
    }

    /// Scores every key square for the query square: `row[key]`, already divided by the root of the maps'
    /// channels. Entries past the board's area are 0.
    ///
    /// # Panics
    /// When `row` is not [`Policy::row_len`] long, or the square is not on the board.
    pub fn row(&self, product: Product, query: usize, row: &mut [f32]) {
        assert!(query < self.area, "square {query} on a board of {}", self.area);
        assert_eq!(row.len(), self.stride, "length of a row");
        row.fill(0.0);
        let product = product as usize;
        let (per_map, chunks) = (self.dim / CHUNK, 6 * self.dim / CHUNK);
        let (rank, file) = (query / self.files, query % self.files);
        for chunk in 0..per_map {
            let at = ((rank * chunks + 2 * product * per_map + chunk) * self.files + file) * CHUNK;
            let keys = (product * per_map + chunk) * CHUNK * self.stride;
            let keys = &self.keys[keys..keys + CHUNK * self.stride];
            self.kernels.dense(keys, &self.maps[at..at + CHUNK], row);
        }
    }
}

//! Ladder files of any bytes are read or refused, and what is read is written back as the same ladder.
#![no_main]

use std::path::Path;

use hippolyta_eval::{Ladder, LadderConditions};
use libfuzzer_sys::fuzz_target;

/// The conditions of the seeds' ladders.
const CONDITIONS: LadderConditions =
    LadderConditions { size: 6, opening_plies: 4, visits: Some(100), time_ms: None, seed: 1 };

fuzz_target!(|bytes: &[u8]| {
    let path = Path::new("fuzz");
    if let Ok(ladder) = Ladder::parse(bytes, path, CONDITIONS) {
        let written = serde_json::to_vec(&ladder).expect("a ladder is JSON");
        assert_eq!(Ladder::parse(&written, path, CONDITIONS).expect("written by us"), ladder);
        let _ = ladder.pairs();
    }
});

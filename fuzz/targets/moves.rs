//! A move that is read is written back as the same move.
#![no_main]

use hippolyta_game::Move;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(m) = text.parse::<Move>() {
        assert_eq!(m.to_string().parse(), Ok(m));
    }
});

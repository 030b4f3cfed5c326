//! SGF by itself: what is read keeps all that it is when it is written as SGF and read again.
#![no_main]

use hippolyta_game::notation::{Dialect, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(games) = Transcript::read_all(&format!("(;GM[18]{text}")) else { return };
    for game in games {
        let written = game.write(Dialect::Sgf).expect("SGF has a place for all");
        let again = Transcript::read_all(&written).expect("what was written can be read");
        assert_eq!(again.len(), 1, "{written}");
        assert_eq!(again[0].start, game.start, "{written}");
        assert!(again[0].moves().eq(game.moves()), "{written}");
        assert_eq!(again[0].write(Dialect::Sgf).as_ref(), Ok(&written));
    }
});

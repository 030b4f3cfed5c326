//! A game that is read, in any dialect, keeps its moves in every dialect that can write it, and all of it in the two
//! that carry everything.
#![no_main]

use hippolyta_game::notation::{Dialect, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(transcript) = Transcript::read(text) else { return };
    for dialect in Dialect::ALL {
        let Ok(written) = transcript.write(dialect) else { continue };
        let again = Transcript::read(&written).expect("what was written can be read");
        assert!(again.moves().eq(transcript.moves()), "{written}");
        if let Dialect::Text | Dialect::Sgf = dialect {
            assert_eq!(again.start, transcript.start);
            assert_eq!(again.write(dialect).as_ref(), Ok(&written));
        }
    }
});

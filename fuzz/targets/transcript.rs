//! Games that are read, in any dialect, keep their moves in every dialect that can write them, and all that they are
//! in SGF, which carries everything; text carries all but properties.
#![no_main]

use hippolyta_game::notation::{Dialect, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(games) = Transcript::read_all(text) else { return };
    assert_eq!(Transcript::read(text).as_ref(), Ok(&games[0]));
    for dialect in Dialect::ALL {
        let (games, written): (Vec<&Transcript>, Vec<String>) =
            games.iter().filter_map(|game| Some((game, game.write(dialect).ok()?))).unzip();
        if games.is_empty() {
            continue;
        }
        let again = Transcript::read_all(&written.concat()).expect("what was written can be read");
        assert_eq!(again.len(), games.len(), "{written:?}");
        for ((game, again), written) in games.into_iter().zip(&again).zip(&written) {
            assert!(again.moves().eq(game.moves()), "{written}");
            if let Dialect::Text | Dialect::Sgf = dialect {
                assert_eq!(again.start, game.start);
                assert_eq!(again.write(dialect).as_ref(), Ok(written));
            }
        }
    }
});

//! A FEN that is read is written back as the same position, and counting its moves and territory ends.
#![no_main]

use hippolyta_game::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(position) = text.parse::<Position>() {
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!(position.has_move(), position.count_moves() > 0);
        position.territory();
    }
});

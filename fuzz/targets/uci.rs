//! Lines of UCI, to the engine's side of it and to the side that drives engines: no line makes either panic, the engine
//! thinks about one position at a time that has a move, and each thought ends with one bestmove.
#![no_main]

use hippolyta_play::protocol::{Order, Protocol, Uci, UciClient};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (mut engine, mut client) = (Uci::new("fuzz", "classical", None), UciClient::new());
    let mut thinks = false;
    let take = |orders: Vec<Order>, thinks: &mut bool| {
        let mut answers = 0;
        for order in orders {
            match order {
                Order::Think(think) => {
                    assert!(!*thinks, "one thought at a time");
                    assert!(think.position.has_move());
                    *thinks = true;
                }
                Order::Say(line) => {
                    assert!(!line.contains('\n'));
                    answers += usize::from(line.starts_with("bestmove"));
                }
                _ => {}
            }
        }
        answers
    };
    for (index, line) in text.lines().enumerate() {
        client.hear(line);
        take(engine.line(line), &mut thinks);
        if thinks && index % 2 == 0 {
            thinks = false;
            let answers = take(engine.failed("for a test"), &mut thinks);
            assert!(answers >= 1, "a thought ends with a bestmove");
        }
    }
});

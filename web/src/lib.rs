//! The rules, the players and the networks for JavaScript: a thin shell over the libraries, which the package in
//! `web/package` gives its public form. What has parts comes out as JSON.

mod engine;
mod game;
mod uci;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Makes a panic say in the console what it is; without this, JavaScript hears of `unreachable` alone.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

/// JSON of plain structs, whose numbers are all finite.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain structs become JSON")
}

//! Makes a JavaScript module of the compiled `hippolyta-web`: `hippolyta-bind MODULE.wasm FOLDER` writes
//! `hippolyta.js` and `hippolyta_bg.wasm`, and their TypeScript declarations, into the folder.

use std::env;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        return Err("usage: hippolyta-bind MODULE.wasm FOLDER".into());
    };
    let mut bindgen = Bindgen::new();
    // As a library, the generator leaves out where the module lies unless it is told.
    bindgen.input_path(module).web(true)?.omit_default_module_path(false).remove_producers_section(true);
    bindgen.remove_name_section(true).out_name("hippolyta").generate(folder)?;
    Ok(())
}

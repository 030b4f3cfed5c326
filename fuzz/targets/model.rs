//! Model files of any bytes are read or refused, and what is read is written back as the same model.
#![no_main]

use hippolyta_model::ModelFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = ModelFile::from_bytes(bytes) {
        let written = model.to_bytes();
        assert_eq!(ModelFile::from_bytes(&written).expect("written by us").hash(), model.hash());
    }
});

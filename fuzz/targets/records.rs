//! Record files of any bytes are read, and what is read is valid.
#![no_main]

use std::path::Path;

use hippolyta_selfplay::parse_records;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for record in parse_records(bytes, Path::new("fuzz")).records {
        record.check().expect("only valid records are given out");
    }
});

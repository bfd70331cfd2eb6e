//! No text makes the parser panic or take long, and accepted text round-trips.
//!
//! `../../laboratory/lab/data/compilers` is a good seed corpus: `cargo +nightly fuzz run parse
//! ../../laboratory/lab/data/compilers -- -max_len=8192` (copy the folder first, because the fuzzer writes new inputs
//! into it).
#![no_main]

use lanework_ptx::{Module, parse_instructions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Module::parse(text) {
        Ok(module) => {
            let printed = module.to_string();
            let again = Module::parse(&printed).expect("the printed module parses");
            assert_eq!(again.to_string(), printed, "printing is a fixed point");
            let _ = module.validate().map_err(|problems| problems.to_string());
            let _ = module.lowest_requirements();
        }
        Err(problems) => assert!(!problems.to_string().is_empty()),
    }
    let _ = parse_instructions(text).map_err(|problems| problems.to_string());
});

//! No text makes the parser, the validator, the printer or the diagnostics panic, and every
//! accepted text round-trips.

use crate::common::{real_modules, without_text_lines};
use lanework_ptx::{Module, parse_instructions};
use proptest::collection::vec;
use proptest::prelude::*;

/// Parses, validates and prints a text. Accepted text must round-trip.
fn exercise(text: &str) {
    match Module::parse(text) {
        Ok(module) => {
            let printed = module.to_string();
            let again =
                Module::parse(&printed).unwrap_or_else(|e| panic!("{text}\n\n{printed}\n\n{e}"));
            assert_eq!(again.to_string(), printed, "{text}");
            assert_eq!(without_text_lines(again), without_text_lines(module.clone()), "{text}");
            let _ = module.validate().map_err(|problems| problems.to_string());
            let _ = module.lowest_requirements();
        }
        Err(problems) => assert!(!problems.to_string().is_empty()),
    }
    let _ = parse_instructions(text).map_err(|problems| problems.to_string());
}

/// Found by fuzzing: a number directly after a word is a dotted word; printed separately it is a
/// number.
#[test]
fn a_number_after_a_function_directive() {
    exercise(".version 8.8\n.target sm_80\n.entry k .alloc V12.9.86 .b32;");
}

/// Fragments of PTX, so that random sequences parse further than the first token.
const PIECES: &[&str] = &[
    ".version 8.0\n",
    ".target sm_90a\n",
    ".entry",
    ".func",
    ".visible",
    " k",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "~",
    "*",
    "/",
    "%",
    "<",
    ">",
    "<<",
    "=",
    "%r1",
    "%p",
    "_",
    "L",
    " add.s32 ",
    " call ",
    ".reg ",
    ".b32 ",
    ".param ",
    ".global ",
    ".align ",
    ".v4 ",
    ".loc 1 2 3",
    ", function_name f",
    ", inlined_at 1 2 3",
    ".file 1 \"x\"",
    ".section .debug_str",
    ".pragma \"p\"",
    ".attribute(.managed) ",
    ".ptr ",
    ".branchtargets ",
    ".maxntid ",
    "0",
    "1",
    "0x1F",
    "0f3F800000",
    "1.5",
    "99999999999999999999",
    "WARP_SZ",
    "generic(",
    "0xFF(",
    "\"",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    "\\",
    "é",
    "\0",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..400)) {
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_sequence_of_pieces(pieces in vec(prop::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        exercise(&text);
        exercise(&format!(".version 8.0\n.target sm_80\n{text}"));
        exercise(&format!(".version 8.0\n.target sm_80\n.entry k {{ {text} }}"));
    }

    /// Real modules, cut to a window and mutated in a few places.
    #[test]
    fn real_modules_with_mutations(
        which in any::<prop::sample::Index>(),
        start in any::<prop::sample::Index>(),
        edits in vec((any::<prop::sample::Index>(), 0..4u8, prop::sample::select(PIECES)), 0..6),
    ) {
        let modules = real_modules();
        let (_, text) = &modules[which.index(modules.len())];
        // Keep the header, so that the rest parses as a module, and about 4,000 characters.
        let body: Vec<char> = text.chars().collect();
        let first = start.index(body.len());
        let mut window: Vec<char> = ".version 8.0\n.target sm_90\n.entry k {".chars().collect();
        window.extend(&body[first..(first + 4000).min(body.len())]);
        for (place, kind, piece) in edits {
            let place = place.index(window.len());
            match kind {
                0 => window.truncate(place),
                1 => drop(window.remove(place)),
                _ => drop(window.splice(place..place, piece.chars())),
            }
            if window.is_empty() {
                break;
            }
        }
        exercise(&window.into_iter().collect::<String>());
    }
}

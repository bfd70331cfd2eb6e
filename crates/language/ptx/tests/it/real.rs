//! PTX from real compilers parses and round-trips.
//!
//! `data/README.md` lists the compiler of each file.

use crate::common::{real_modules, without_text_lines};
use lanework_ptx::{Item, Module};

#[test]
fn parses_and_round_trips() {
    for (name, text) in real_modules() {
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{name}\n{e}"));
        let printed = module.to_string();
        let again = Module::parse(&printed).unwrap_or_else(|e| panic!("{name}, printed\n{e}"));
        assert_eq!(without_text_lines(again.clone()), without_text_lines(module), "{name}");
        assert_eq!(again.to_string(), printed, "{name}");
    }
}

/// The printer prints every word of the text as often as the text has it, except for comments and locations.
#[test]
fn every_instruction_and_label_survives() {
    let counted =
        ["ld.", "st.", "bra", "call", "ret;", ".reg ", ".visible", "$L__BB", "mov.", ".b8"];
    for (name, text) in real_modules() {
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{name}\n{e}"));
        let (before, after) = (without_comments(&text), without_comments(&module.to_string()));
        for word in counted {
            let count = |text: &str| text.replace('\t', " ").matches(word).count();
            assert_eq!(count(&after), count(&before), "{name}: {word}");
        }
    }
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect()
}

#[test]
fn debug_sections_are_kept() {
    let sections = |name: &str| {
        let (_, text) = real_modules().into_iter().find(|(n, _)| n == name).expect("the file");
        let module = Module::parse(&text).expect("a module");
        let is_section =
            |item: &&Item| matches!(item, Item::Directive(d) if d.starts_with(".section"));
        module.items.iter().filter(is_section).count()
    };
    assert!(sections("transpose.sm_80.debug.ptx") >= 3);
    assert_eq!(sections("transpose.sm_80.lineinfo.ptx"), 0);
}

/// A real module, truncated anywhere, is an error, and never causes a panic.
#[test]
fn a_truncated_module_is_rejected() {
    for (name, text) in real_modules() {
        let Some(open) = text.find("\n{") else { continue };
        let close = text.rfind('}').expect("a closing brace");
        for cut in (open + 2..close).step_by(997) {
            let cut_inside_function =
                text[..cut].matches('{').count() > text[..cut].matches('}').count();
            if text.is_char_boundary(cut) && cut_inside_function {
                assert!(Module::parse(&text[..cut]).is_err(), "{name} cut at byte {cut}");
            }
        }
    }
}

#[test]
fn real_modules_are_valid() {
    for (name, text) in real_modules() {
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{name}\n{e}"));
        module.validate().unwrap_or_else(|e| panic!("{name}\n{e}"));
    }
}

/// Compilers declare the version of their release and the requested target. The lowest requirements of a module are
/// never higher.
#[test]
fn real_modules_need_no_more_than_they_state() {
    for (name, text) in real_modules() {
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{name}\n{e}"));
        let (version, architecture, specific) = module.lowest_requirements();
        let stated = (module.version, module.target.architecture, module.target.specific);
        assert!(version <= stated.0, "{name} needs {version}");
        assert!((architecture, specific) <= (stated.1, stated.2), "{name} needs sm_{architecture}");
    }
}

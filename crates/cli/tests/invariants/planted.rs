//! The resolver on crates of a few lines: cycles planted in them are found, and nothing else is.

use super::graph::Graph;

fn cycles(sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<_> =
        sources.iter().map(|(file, text)| (file.into(), (*text).to_owned())).collect();
    Graph::new(&sources).file_knots().into_iter().map(|knot| knot.message).collect()
}

/// Asserts that there is one knot and that its message has all of `expected`.
#[track_caller]
fn assert_cycle(sources: &[(&str, &str)], expected: &[&str]) {
    let found = cycles(sources);
    assert_eq!(found.len(), 1, "{found:?}");
    for line in expected {
        assert!(found[0].contains(line), "{line} is not in: {}", found[0]);
    }
}

#[test]
fn two_files_that_use_each_other_are_named_with_their_lines() {
    assert_cycle(
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "//! A.\n\nuse crate::b::B;\npub struct A(B);"),
            ("b.rs", "pub struct B;\nfn f(_: super::a::A) {}"),
        ],
        &["a.rs:3 uses b.rs (`crate::b::B`)", "b.rs:2 uses a.rs (`super::a::A`)"],
    );
}

#[test]
fn longer_cycles_are_found_through_nested_use_trees() {
    assert_cycle(
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            (
                "a.rs",
                "use std::{fmt, io};\nuse crate::{b::{self, B as Other}, a};\nfn f(_: Other) {}",
            ),
            ("b/mod.rs", "use crate::c; pub struct B; fn f() { c::g() }"),
            ("c.rs", "pub fn g() { crate::a::f() }"),
        ],
        &[
            "3 files use each other",
            "a.rs:2 uses b/mod.rs",
            "b/mod.rs:1 uses c.rs",
            "c.rs:1 uses a.rs",
        ],
    );
}

#[test]
fn code_in_a_parent_that_uses_its_child_and_is_used_by_it_is_a_cycle() {
    let parent = "mod child; pub struct P; fn f() { child::g() }";
    let child = "use super::P; pub fn g() -> P { P }";
    let expected = ["a.rs:1 uses a/child.rs (`child::g`)", "a/child.rs:1 uses a.rs (`super::P`)"];
    assert_cycle(&[("lib.rs", "mod a;"), ("a.rs", parent), ("a/child.rs", child)], &expected);
    assert_cycle(&[("lib.rs", parent), ("child.rs", child)], &["lib.rs:1 uses child.rs"]);
}

#[test]
fn a_glob_counts_for_the_names_that_are_used() {
    let parent = "mod child; pub struct P; fn f() { child::g() }";
    let used = "use super::*; pub fn g() -> P { P }";
    assert_cycle(&[("lib.rs", parent), ("child.rs", used)], &["child.rs:1 uses lib.rs"]);
    let unused = "use super::*; pub fn g() {}";
    assert_eq!(cycles(&[("lib.rs", parent), ("child.rs", unused)]), [""; 0]);
}

#[test]
fn a_name_is_followed_through_reexports_to_its_file() {
    assert_cycle(
        &[
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
            ("a.rs", "pub struct A; fn f(_: crate::B) {}"),
            ("b.rs", "use crate::A; pub struct B;"),
        ],
        &["a.rs:1 uses b.rs (`crate::B`)", "b.rs:1 uses a.rs (`crate::A`)"],
    );
}

#[test]
fn declarations_and_reexports_of_a_parent_are_not_edges() {
    let found = cycles(&[
        ("lib.rs", "mod a; mod b; pub use a::A; pub(crate) use crate::b::B; pub struct Own;"),
        ("a.rs", "pub struct A(crate::Own);"),
        ("b.rs", "use crate::{A, Own}; pub struct B(A, Own);"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn names_of_other_crates_are_not_edges_to_the_reexporting_file() {
    let found = cycles(&[
        ("lib.rs", "mod a; pub use other as renamed; pub use third::Third; fn f() { a::g() }"),
        ("a.rs", "use crate::renamed::Name; use crate::Third; pub fn g() { crate::renamed::h() }"),
    ]);
    assert_eq!(found, [""; 0]);
    let found = cycles(&[
        ("lib.rs", "mod a; pub use other::*; fn f() { a::g() }"),
        ("a.rs", "use crate::Name; pub fn g(_: Name) {}"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_reexport_that_the_parent_uses_itself_is_an_edge() {
    assert_cycle(
        &[
            ("lib.rs", "mod a; pub use a::A; pub struct Own; fn f(_: A) {}"),
            ("a.rs", "pub struct A(crate::Own);"),
        ],
        &["lib.rs:1 uses a.rs (`a::A`)"],
    );
}

#[test]
fn tests_comments_and_strings_do_not_count() {
    let a = r##"
        use crate::b::B;
        // crate::c::C
        /* crate::c::C /* nested */ crate::c::C */
        const TEXT: &str = "use crate::c::C; \" crate::c::C";
        const RAW: &str = r#"crate::c::C" crate::c::C"#;
        const QUOTE: (char, char) = ('"', '\'');
        fn of<'a>(b: &'a B) {}
        #[cfg(test)]
        use crate::c::D;
        #[cfg(test)]
        mod tests { use crate::c::C; fn f() { if true {} } }
    "##;
    let found = cycles(&[
        ("lib.rs", "mod a; mod b; mod c; #[cfg(test)] mod only_tests;"),
        ("a.rs", a),
        ("b.rs", "pub struct B;"),
        ("c.rs", "use crate::a::of; pub struct C; pub struct D;"),
        ("only_tests.rs", "use crate::c::C;"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn inline_modules_and_exported_macros_belong_to_their_file() {
    assert_cycle(
        &[
            ("lib.rs", "mod a; mod b; pub mod prelude { pub use super::a::A; }"),
            ("a.rs", "pub struct A; mod inner { fn f() { super::super::b::g() } }"),
            ("b.rs", "use crate::prelude::A; pub fn g() {}"),
        ],
        &["a.rs:1 uses b.rs", "b.rs:1 uses a.rs"],
    );
    assert_cycle(
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "#[macro_export] macro_rules! shout { () => {} } fn f() { crate::b::g() }"),
            ("b.rs", "pub fn g() { crate::shout!() }"),
        ],
        &["b.rs:1 uses a.rs (`crate::shout`)"],
    );
}

/// The knots among the entries of folders, as `folder: message`.
fn folder_knots(sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<_> =
        sources.iter().map(|(file, text)| (file.into(), (*text).to_owned())).collect();
    let knots = Graph::new(&sources).folder_knots();
    knots.into_iter().map(|knot| format!("{}: {}", knot.folder, knot.message)).collect()
}

#[test]
fn a_glob_reexport_of_another_module_is_an_edge() {
    assert_cycle(
        &[
            ("lib.rs", "mod host; mod rt; mod number;"),
            ("host.rs", "pub trait Methods {} pub mod prelude { pub use crate::rt::*; }"),
            ("rt.rs", "pub use crate::number::Number;"),
            ("number.rs", "use crate::host::Methods; pub trait Number: Methods {}"),
        ],
        &[
            "host.rs:1 uses rt.rs (`crate::rt::*`)",
            "rt.rs:1 uses number.rs (`crate::number::Number`)",
            "number.rs:1 uses host.rs (`crate::host::Methods`)",
        ],
    );
}

#[test]
fn a_reexport_in_a_macro_is_an_edge() {
    assert_cycle(
        &[
            ("lib.rs", "mod twins; pub mod prelude { pub use crate::twins::*; }"),
            ("twins.rs", "macro_rules! m { ($n:ident) => { pub use crate::prelude::$n as s; } }"),
        ],
        &["twins.rs:1 uses lib.rs"],
    );
}

/// The knot that `lang` had: `number` used a trait through `host`, whose other file used `number`.
#[test]
fn folders_that_use_each_other_through_different_files_are_a_knot() {
    let sources = [
        ("lib.rs", "mod host; mod number;"),
        ("host/mod.rs", "mod methods; mod functions; pub use methods::Methods;"),
        ("host/methods.rs", "pub trait Methods {}"),
        ("host/functions.rs", "use crate::number::Number; pub fn min(_: impl Number) {}"),
        ("number.rs", "use crate::host::Methods; pub trait Number: Methods {}"),
    ];
    assert_eq!(cycles(&sources), [""; 0]);
    let found = folder_knots(&sources);
    assert_eq!(found.len(), 1, "{found:?}");
    for line in [
        "host, number use each other",
        "host/functions.rs:1 uses number.rs (`crate::number::Number`)",
        "number.rs:1 uses host/methods.rs (`crate::host::Methods`)",
    ] {
        assert!(found[0].contains(line), "{line} is not in: {}", found[0]);
    }
}

#[test]
fn knots_are_found_in_every_folder() {
    let inner = [
        ("lib.rs", "mod outer;"),
        ("outer/mod.rs", "mod a; mod b;"),
        ("outer/a/mod.rs", "mod x; mod y; pub use y::Y;"),
        ("outer/a/x.rs", "use super::super::b::B; pub struct X(B);"),
        ("outer/a/y.rs", "pub struct Y;"),
        ("outer/b.rs", "use super::a::Y; pub struct B(Y);"),
    ];
    let found = folder_knots(&inner);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("outer: a, b use each other"), "{}", found[0]);
}

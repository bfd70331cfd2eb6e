//! Tests that every error is covered by a test, that the page explains every permanent limit, and that
//! the code in every remedy compiles.

use super::{WHY, reason, reasons::REASONS};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::visit_mut::VisitMut;
use syn::{Expr, Lit};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(here(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The errors of a source file: message and help, if both are literals.
#[derive(Default)]
struct Refusals {
    found: Vec<(String, String)>,
}

/// The literals that an argument may be: a literal, or the ones in `format!`, `match`, `if`.
fn literals(expression: &Expr) -> Vec<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => vec![text.value()],
            _ => Vec::new(),
        },
        Expr::Reference(reference) => literals(&reference.expr),
        Expr::Macro(call) => call
            .mac
            .parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated)
            .ok()
            .and_then(|arguments| arguments.first().map(literals))
            .unwrap_or_default(),
        Expr::Match(matched) => matched.arms.iter().flat_map(|arm| literals(&arm.body)).collect(),
        _ => Vec::new(),
    }
}

impl VisitMut for Refusals {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let arguments = match expression {
            Expr::MethodCall(call) if call.method == "refuse" => Some(&call.args),
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) if path.path.segments.last().unwrap().ident == "refuse" => {
                    Some(&call.args)
                }
                _ => None,
            },
            // `(message, help)`, chosen before the call.
            Expr::Tuple(tuple) if tuple.elems.len() == 2 => {
                if let ([message], [help]) =
                    (literals(&tuple.elems[0]).as_slice(), literals(&tuple.elems[1]).as_slice())
                    && message.contains(' ')
                    && help.contains(' ')
                {
                    self.found.push((message.clone(), help.clone()));
                }
                None
            }
            _ => None,
        };
        if let Some(arguments) = arguments
            && arguments.len() == 3
        {
            for message in literals(&arguments[1]) {
                for help in literals(&arguments[2]) {
                    self.found.push((message.clone(), help));
                }
            }
        }
        syn::visit_mut::visit_expr_mut(self, expression);
    }
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, out),
            false
                if path.extension().is_some_and(|e| e == "rs")
                    && !path.ends_with("why/tests.rs")
                    && !path.ends_with("why/reasons.rs")
                    && !path.ends_with("why/mod.rs") =>
            {
                out.push(path);
            }
            false => {}
        }
    }
}

fn refusals() -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(&here("src"), &mut files);
    let mut refusals = Refusals::default();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        refusals.visit_file_mut(&mut syn::parse_file(&text).unwrap());
    }
    assert!(refusals.found.len() > 50, "{}", refusals.found.len());
    refusals.found
}

/// Whether `text` contains `pattern`, in which `{name}` stands for anything on a line.
fn contains(text: &str, pattern: &str) -> bool {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        match after.split_once('}') {
            Some((name, tail)) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                parts.push(before);
                rest = tail;
            }
            _ => break,
        }
    }
    parts.push(rest);
    text.lines().any(|line| {
        let mut line = line;
        parts.iter().all(|part| match line.find(part) {
            Some(at) => {
                line = &line[at + part.len()..];
                true
            }
            None => false,
        })
    })
}

/// Code that rustc's own grammar rejects before an attribute sees it.
const UNREACHABLE: [&str; 4] = [
    "`else` takes a block",
    "a kernel has a fixed number of parameters",
    "this operator has no function",
    "this pattern is not supported in a kernel",
];

#[test]
fn every_refusal_is_shown_by_a_test() {
    let mut shown = String::new();
    for entry in std::fs::read_dir(here("../../runtime/lanework/tests/ui")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "stderr") {
            shown.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
    let missing: BTreeSet<_> = refusals()
        .into_iter()
        .filter(|(message, _)| !UNREACHABLE.contains(&message.as_str()))
        .filter(|(message, help)| !contains(&shown, message) || !contains(&shown, help))
        .collect();
    assert!(
        missing.is_empty(),
        "add these to crates/runtime/lanework/tests/ui/refusals.rs: {missing:#?}"
    );
}

#[test]
fn every_refusal_says_why() {
    let silent: BTreeSet<_> = refusals()
        .into_iter()
        .map(|(m, _)| m)
        .filter(|message| reason(message).is_none())
        .collect();
    assert!(
        silent.is_empty(),
        "add these to crates/rust-kernels/macros/src/why/reasons.rs: {silent:#?}"
    );
    for (message, why) in WHY.iter().chain(REASONS) {
        assert_eq!(reason(message), Some(*why), "{message} is another message's pattern, too");
    }
    // Every error has a reason.
    let mut files = Vec::new();
    sources(&here("src"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let bare = text.matches("= help:").count();
        assert_eq!(bare, 0, "{} writes a remedy without `refuse`", file.display());
    }
}

#[test]
fn every_reason_belongs_to_a_refusal_and_stands_on_the_page() {
    let refusals = refusals();
    for page in ["../../../docs/src/en/rust.md", "../../../docs/src/zh/rust.md"] {
        let text = read(page);
        for (message, why) in WHY {
            let (_, help) = refusals
                .iter()
                .find(|(known, _)| known == message)
                .unwrap_or_else(|| panic!("no refusal says {message:?}"));
            assert!(text.contains(message), "{page} lacks: {message}");
            if page.contains("/en/") {
                let row = format!("| {message} | {why} | {help} |").replace("||", "\\|\\|");
                assert!(text.contains(&row), "{page} lacks the row:\n{row}");
            }
        }
    }
}

/// Code in backquotes, as the remedies fixture has to hold it.
fn code(help: &str) -> Vec<String> {
    let parts: Vec<&str> = help.split('`').collect();
    let pairs = parts.chunks(2).filter(|pair| pair.len() == 2);
    // Code that a remedy removes is not checked.
    pairs.filter(|pair| !pair[0].ends_with("remove ")).map(|pair| pair[1].to_owned()).collect()
}

#[test]
fn the_code_of_every_remedy_compiles() {
    // The fixture is compiled, and run, by the tests of the kernel language.
    let fixture: String = read("../../runtime/lanework/tests/language/remedies.rs");
    let mut missing = BTreeSet::new();
    for (_, help) in refusals() {
        for code in code(&help) {
            let parts: Vec<&str> =
                code.split("..").map(|part| part.trim_matches(['.', ';', ' '])).collect();
            let whole = code.contains("{name}") || contains(&fixture, &code);
            let elided = code.contains("..")
                && parts.iter().all(|part| part.is_empty() || fixture.contains(part));
            if !whole && !elided {
                missing.insert((code, help.clone()));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "use these in crates/runtime/lanework/tests/language/remedies.rs: {missing:#?}"
    );
}

//! Reasons for unsupported constructs. Errors print them with the remedy, and the page `docs/src/en/rust.md` lists
//! them.

/// The error's text: the unsupported construct, the reason, and an alternative.
pub fn explained(message: &str, help: &str) -> String {
    let why = reason(message).unwrap_or("the kernel language gives it no meaning");
    format!("{message}\n  = note: {why}\n  = help: {help}")
}

/// The reason for a message.
fn reason(message: &str) -> Option<&'static str> {
    let known = WHY.iter().chain(REASONS).find(|(known, _)| is_like(message, known));
    known.map(|(_, why)| *why)
}

/// Whether a message matches `pattern`, in which `{name}` matches anything.
fn is_like(message: &str, pattern: &str) -> bool {
    let named =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let hole = pattern.match_indices('{').find_map(|(at, _)| {
        let end = at + pattern[at..].find('}')?;
        named(&pattern[at + 1..end]).then_some((at, end))
    });
    let Some((at, end)) = hole else { return message == pattern };
    let (before, after) = (&pattern[..at], &pattern[end + 1..]);
    let Some(rest) = message.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|skip| rest.get(skip..).is_some_and(|tail| is_like(tail, after)))
}

/// Rust constructs that the kernel language does not support: the error's message and the reason.
#[rustfmt::skip]
pub const WHY: &[(&str, &str)] = &[
    ("string literals are not supported in a kernel", "a string is a byte sequence of varying length; a kernel has only values of fixed size and slices of them"),
    ("trait objects are not supported in a kernel", "every call is inlined while the kernel is staged, so the function has to be known then"),
    ("a string cannot be passed to a kernel", "device memory holds numbers and structs of them, and a `str` promises UTF-8 that nothing on the device checks"),
    ("kernels are not asynchronous", "threads of a GPU wait at barriers and for memory, not for futures"),
    ("a kernel returns no value", "a launch runs many threads, and each would return a value"),
    ("a kernel is not `async`", "a launch is already asynchronous: a stream orders it, and the host waits by a call"),
    ("a kernel cannot declare lifetimes", "the borrows of a kernel's parameters last as long as its launch"),
    ("a kernel is not marked `unsafe`", "bounds checks and the checking emulator find its errors; only a launch without checks is unsafe"),
    ("a kernel is a free function", "a launch has arguments and no receiver"),
    ("this type cannot be a kernel parameter", "the host's pointers, boxes and trait objects mean nothing on the device"),
    ("a #[device] struct cannot hold a reference", "a thread's values are registers, which have no address; a slice is an address in device memory and a length"),
    ("a packed struct cannot be a #[device] struct", "the GPU loads and stores a scalar only at a multiple of its size"),
    ("this item cannot be declared inside a kernel", "the code that the attribute generates repeats the items of the body: `const`, `use`, `type`, functions, structs, enums and their `impl` blocks"),
    ("a pattern in a kernel binds values", "a thread's values are registers, which have no address"),
    ("a kernel can only take mutable references to names, fields and elements", "a thread's values are registers, which have no address: a reference names a variable or a place in memory"),
    ("an operator of a #[device] struct takes values", "a thread's values are registers: `&a` and `a` are the same"),
    ("only functions called by name are supported in a kernel", "every call is inlined while the kernel is staged, so the function has to be known then"),
];

/// The reasons of all errors: the message, in which `{name}` matches anything, and the reason.
#[rustfmt::skip]
pub const REASONS: &[(&str, &str)] = &[
    ("#[device] is for functions, structs, enums, traits and `impl` blocks", "other items have no values, and no code that a kernel could stage"),
    ("a #[device] trait has no generics", "a use of the trait stands for one set of functions for kernels"),
    ("`{name}` is not marked #[device]", "the attribute makes the version of a function that kernels inline"),
    ("a kernel cannot call the kernel `{name}`", "a launch starts a kernel for many threads"),
    ("no function is called `{name}`", "neither this file nor the prelude has it"),
    ("the type `{name}` is not marked #[device]", "functions are staged for the parts of a type, which the attribute declares beside it"),
    ("`{name}` is an object of the host", "its methods would run once, while the kernel is staged, and not for each thread"),
    ("an atomic of Rust's library is an object of the host", "its methods would run once, while the kernel is staged, and not for each thread"),
    ("a kernel cannot use the static `{name}`", "the code would use it once, while the kernel is staged, and not for each thread"),
    ("a kernel cannot use the `static mut` `{name}`", "the code would use it once, while the kernel is staged, and not for each thread"),
    ("`{name}` is CUDA C++", "a kernel in Rust uses Rust's name for it"),
    ("cannot infer the target type of `into` in a kernel", "types are inferred from left to right, and nothing before this expression determines its type"),
    ("#[device] takes no arguments", "a device function is inlined into the kernels that call it, whatever their launches are"),
    ("`{name}` is not an argument of #[kernel]", "each argument is a directive that PTX has for a kernel"),
    ("`{name}` is given twice", "a kernel has one directive of each kind"),
    ("`..` comes last in a tuple pattern of a kernel", "the attribute counts the parts from the front, and does not know how many the type has"),
    ("`else` takes a block", "Rust's grammar allows nothing else there"),
    ("`let` must come first in the condition of an `if` or a `while`", "a condition is staged from left to right, and the values of its names must be known before the rest can be skipped"),
    ("a `while` in a kernel has one `let`, which comes first", "a condition is staged from left to right, and the values of its names must be known before the rest can be skipped"),
    ("`{name}!` is not supported in a kernel", "the attribute sees the tokens of a macro, not its expansion"),
    ("`{name}!` needs {sides} {arguments}", "there is nothing to test"),
    ("`{name}` may have no value where it is first used", "a register always holds some value, so a missing one would go unnoticed"),
    ("a #[device] enum has at least one variant", "a type without values has nothing that a register could hold"),
    ("a #[device] enum cannot hold a reference", "a thread's values are registers, which have no address; a slice is an address in device memory and a length"),
    ("a #[device] enum has no generics", "variants without data have no place for a value of the parameter"),
    ("a #[device] enum is stored as an integer", "while staging, a variant is its number in a register of that type"),
    ("a #[device] impl holds functions and constants", "nothing else of a block is staged"),
    ("a #[device] impl is for a #[device] struct or enum", "methods are staged for the parts of a type, which the attribute has declared beside it"),
    ("a closure in a kernel is not `async`", "threads of a GPU wait at barriers and for memory, not for futures"),
    ("a closure with `return` must declare its return type", "the register of its result is declared before its body is staged"),
    ("a constant is not `mut`", "it is a value of the host, which is fixed when the kernel is staged"),
    ("a kernel has a fixed number of parameters", "a launch passes as many arguments as the kernel declares"),
    ("a kernel is not `const`", "a kernel is staged at run time, for the types and constants of a launch"),
    ("a kernel cannot declare an ABI", "only launches call it, with the driver's calling convention"),
    ("a kernel matches numbers, bools and enums", "a string is a byte sequence of varying length, and no register holds one"),
    ("a kernel parameter cannot be a reference to this type", "an argument is copied to the device; only buffers and tensor maps are there before the launch"),
    ("a kernel that writes through a tensor map borrows it exclusively", "two launches that write through one map at the same time would race for its memory"),
    ("a pattern needs a value", "names that get their values later are declared one by one, since each is followed through every branch"),
    ("a qualified path cannot be a struct expression in a kernel", "the attribute's expansion repeats the path where Rust allows no qualified path"),
    ("an array in shared memory cannot be replaced", "it is a place in memory, which is fixed when the kernel is staged"),
    ("cannot assign to `{name}`, which is not a mutable variable", "a name without `mut` is a value, as in Rust"),
    ("the format string has more `{}` than there are arguments", "each `{}` prints one argument"),
    ("this argument has no `{}` in the format string", "each argument is printed at its `{}`"),
    ("`}` without `{` in the format string", "braces hold what is printed"),
    ("`{{inner}}` is not supported in a kernel's format string", "the host formats what a kernel prints from numbers and these forms"),
    ("there is no operand called `{name}`", "the text of ptx! reaches values by its operands alone"),
    ("there is no operand {position}", "the text of ptx! reaches values by its operands alone"),
    ("`}` without `{`", "braces hold the place of an operand"),
    ("operand {unused} is not used in the PTX text", "a value that the text does not mention would be computed for nothing"),
    ("an iterator of a kernel goes through all of its elements in one loop", "the loop is staged once, and a thread has no allocator for what it would collect"),
    ("an operand of ptx! is `in(value)` or `out(type)`", "the text reads registers and writes new ones"),
    ("only `loop` ends with a value", "a `while` or a `for` may end without reaching the `break`, as in Rust"),
    ("the only attribute of a loop in a kernel is #[unroll]", "the loop becomes calls, on which other attributes mean something else"),
    ("the only attribute of a parameter is #[constant]", "the staged function declares the parameter again, and other attributes mean nothing there"),
    ("this `if` has no value when its condition does not hold", "the value is used whichever way the condition goes"),
    ("this cannot be assigned to in a kernel", "only variables and memory keep what is assigned"),
    ("this expression is not supported in a kernel", "it means nothing for values in a thread's registers"),
    ("`?` needs a function that returns an `Option` or a `Result`", "what it returns early is `None` or the error"),
    ("this function returns a value", "its caller uses it"),
    ("a part of a slice cannot be assigned in a kernel", "an assignment writes one value, and the length of a part is known only at run time"),
    ("this range has no first value", "a loop counts from there"),
    ("this `impl` of an operator has no function", "that function defines the operator"),
    ("this pattern is not supported in a kernel", "a pattern is tested by comparing registers"),
];

#[cfg(test)]
mod tests {
    use super::{REASONS, WHY, reason};
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

    /// The possible literals of an argument: a literal itself, or those in `format!`, `match` and `if`.
    fn literals(expression: &Expr) -> Vec<String> {
        match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => vec![text.value()],
                _ => Vec::new(),
            },
            Expr::Reference(reference) => literals(&reference.expr),
            Expr::Macro(call) => call
                .mac
                .parse_body_with(
                    syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated,
                )
                .ok()
                .and_then(|arguments| arguments.first().map(literals))
                .unwrap_or_default(),
            Expr::Match(matched) => {
                matched.arms.iter().flat_map(|arm| literals(&arm.body)).collect()
            }
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
                // A tuple `(message, help)`, chosen before the call.
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
                    if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("why.rs") =>
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

    /// Whether `text` contains `pattern`, in which `{name}` matches anything on one line.
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

    /// Code that rustc's parser rejects before an attribute sees it.
    const UNREACHABLE: [&str; 4] = [
        "`else` takes a block",
        "a kernel has a fixed number of parameters",
        "this `impl` of an operator has no function",
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
    fn every_refusal_has_a_reason() {
        let silent: BTreeSet<_> = refusals()
            .into_iter()
            .map(|(m, _)| m)
            .filter(|message| reason(message).is_none())
            .collect();
        assert!(
            silent.is_empty(),
            "add these to crates/rust-kernels/macros/src/why.rs: {silent:#?}"
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
    fn every_reason_belongs_to_an_error_and_is_on_the_page() {
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

    /// The code in backquotes, which the remedies fixture must contain.
    fn code(help: &str) -> Vec<String> {
        let parts: Vec<&str> = help.split('`').collect();
        let pairs = parts.chunks(2).filter(|pair| pair.len() == 2);
        // Skip code that a remedy removes.
        pairs.filter(|pair| !pair[0].ends_with("remove ")).map(|pair| pair[1].to_owned()).collect()
    }

    #[test]
    fn the_code_of_every_remedy_compiles() {
        // The tests of the kernel language compile and run the fixture.
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
}

//! C++ names of mangled entries (Itanium ABI, section 5.1) in the form that `--entry` takes: the path and the template
//! arguments, without parameters.

use cpp_demangle::{DemangleOptions, Symbol};
use std::borrow::Cow;

/// Longer names stay mangled. No compiler emits them, and demangling them would take much memory.
const LONGEST: usize = 1 << 16;

/// The C++ name of a mangled entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CppName {
    /// The name with its namespaces: `ops::saxpy`.
    pub path: String,
    /// The template arguments, if it is an instance: `<float, 4>`.
    pub arguments: Option<String>,
}

/// The name to show for an entry: the C++ name if it is mangled.
///
/// ```
/// use lanework_ptx::cpp_names::readable;
///
/// assert_eq!(readable("_ZN3ops5saxpyIfLi4EEEvPT_"), "ops::saxpy<float, 4>");
/// assert_eq!(readable("saxpy"), "saxpy");
/// ```
pub fn readable(entry: &str) -> Cow<'_, str> {
    let name = CppName::of(entry).map_or(Cow::Borrowed(entry), |name| Cow::Owned(name.to_string()));
    match with_lambdas(&name) {
        Some(name) => Cow::Owned(name),
        None => name,
    }
}

/// A name with its closure types as `lambda at LINE:COLUMN` or `lambda in FUNCTION`; `None` if it has none.
///
/// Lanework's compiler names a closure type by its position (`Ul9_15`), and nvcc by the function around it
/// (`__nv_dl_wrapper_t<__nv_dl_tag<void (*)(int), &f, 1u>>`).
fn with_lambdas(name: &str) -> Option<String> {
    let (mut out, mut rest, mut found) = (String::new(), name, false);
    while let Some(first) = rest.chars().next() {
        let starts = !out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let shown = starts.then(|| own_lambda(rest).or_else(|| nvcc_lambda(rest))).flatten();
        match shown {
            Some((text, after)) => {
                found = true;
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    found.then_some(out)
}

/// `Ul9_15` at the start of a text, with the name of its call operator; returns the rest of the text.
fn own_lambda(text: &str) -> Option<(String, &str)> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let rest = text.strip_prefix("Ul")?;
    let (line, rest) = rest.split_at(digits(rest));
    let rest = rest.strip_prefix('_')?;
    let (column, rest) = rest.split_at(digits(rest));
    if line.is_empty() || column.is_empty() || rest.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let call = rest.strip_prefix("::operator").map(|rest| {
        let rest = rest.strip_prefix("()").unwrap_or(rest);
        let number = rest.trim_start_matches('_');
        &number[digits(number)..]
    });
    Some((format!("lambda at {line}:{column}"), call.unwrap_or(rest)))
}

/// nvcc's type of an extended lambda at the start of a text; returns the rest of the text.
fn nvcc_lambda(text: &str) -> Option<(String, &str)> {
    let inside =
        text.strip_prefix("__nv_dl_wrapper_t<").or(text.strip_prefix("__nv_hdl_wrapper_t<"))?;
    let mut depth = 1;
    let end = inside.char_indices().find_map(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let function =
        inside[..end].split_once('&').map_or("", |(_, rest)| rest.trim_start_matches('('));
    let name = function.split(['(', ',', ')', '<']).next().unwrap_or_default().trim();
    let shown = if name.is_empty() { "lambda".to_owned() } else { format!("lambda in {name}") };
    Some((shown, &inside[end + 1..]))
}

/// Whether a name denotes an entry: its own name, or its C++ name as [`CppName::is`] accepts it.
///
/// ```
/// use lanework_ptx::cpp_names::is_called;
///
/// assert!(is_called("saxpy", "saxpy"));
/// assert!(is_called("_ZN3ops5saxpyIfLi4EEEvPT_", "ops::saxpy<float, 4>"));
/// assert!(!is_called("_ZN3ops5saxpyIfLi4EEEvPT_", "axpy"));
/// ```
pub fn is_called(entry: &str, name: &str) -> bool {
    entry == name || CppName::of(entry).is_some_and(|own| own.is(name))
}

impl CppName {
    /// The C++ name of a mangled entry; `None` if it is not mangled, or not by the Itanium ABI.
    pub fn of(entry: &str) -> Option<CppName> {
        if !entry.starts_with("_Z") || entry.len() > LONGEST {
            return None;
        }
        let options = DemangleOptions::new().no_params().no_return_type();
        let text = Symbol::new(entry).ok()?.demangle_with_options(&options).ok()?;
        let text = without_tags(&text.replace("> >", ">>").replace("> >", ">>"));
        let (path, arguments) = match arguments_at(&text) {
            Some(at) => (text[..at].to_owned(), Some(text[at..].to_owned())),
            None => (text, None),
        };
        (!path.is_empty()).then_some(CppName { path, arguments })
    }

    /// Whether `name` denotes this entry: the path or its last part, with or without the arguments.
    pub fn is(&self, name: &str) -> bool {
        let (name, arguments) = match name.split_once('<') {
            Some((name, rest)) => (name, Some(plain(&format!("<{rest}")))),
            None => (name, None),
        };
        let short = self.path.rsplit("::").next().unwrap_or_default();
        let own = || self.arguments.as_deref().map(plain);
        (name == self.path || name == short) && (arguments.is_none() || arguments == own())
    }
}

impl std::fmt::Display for CppName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.path, self.arguments.as_deref().unwrap_or_default())
    }
}

/// A name without its ABI tags, such as `[abi:v1]`: Numba keeps a hash in them.
fn without_tags(name: &str) -> String {
    let mut parts = name.split("[abi:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, rest| name + rest.split_once(']').map_or("", |(_, after)| after))
}

/// Where the template arguments at the end of a name start.
fn arguments_at(text: &str) -> Option<usize> {
    if !text.ends_with('>') {
        return None;
    }
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, c)| {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        (c == '<' && depth == 0).then_some(at)
    })
}

/// Normalizes arguments for comparison: without spaces, and `unsigned` for `unsigned int`.
fn plain(arguments: &str) -> String {
    arguments.replace(' ', "").replace("unsignedint", "unsigned")
}

#[cfg(test)]
mod tests {
    use super::{CppName, readable};

    #[test]
    fn lambdas_are_named_by_their_position_or_function() {
        for (name, shown) in [
            ("_Z5applyI6Ul4_18EfT_f", "apply<lambda at 4:18>"),
            ("Ul4_18::operator__1181", "lambda at 4:18"),
            ("_ZNK6Ul4_18clEf", "lambda at 4:18"),
            (
                "run<__nv_dl_wrapper_t<__nv_dl_tag<void (*)(float*), &(host(float*)), 1u>, int>, int>",
                "run<lambda in host, int>",
            ),
            ("_Z4Ul4xv", "Ul4x"),
            ("MyUl4_18", "MyUl4_18"),
            ("Ul4_", "Ul4_"),
        ] {
            assert_eq!(readable(name), shown);
        }
    }

    #[test]
    fn mangled_names_are_read() {
        let name = |entry: &str| CppName::of(entry).map(|name| name.to_string());
        for (entry, expected) in [
            ("_Z5saxpyfPKfPfi", "saxpy"),
            ("_ZN3ops5saxpyIfLi4EEEvPT_", "ops::saxpy<float, 4>"),
            ("_Z1tILi1EEvPf", "t<1>"),
            ("_Z4evalIdEvPKT_PS0_i", "eval<double>"),
            ("_Z4copyIjLb1ELin3E6__halfEvv", "copy<unsigned int, true, -3, __half>"),
            ("_Z3mapIN3ops3AddEPKjEvv", "map<ops::Add, unsigned int const*>"),
            ("_Z3mapI3FooS0_Evv", "map<Foo, Foo>"),
            ("_Z3mapIN3ops3AddIfEEEvv", "map<ops::Add<float>>"),
            ("_ZN8__main__5scaleB2v1B4w51cEf", "__main__::scale"),
        ] {
            assert_eq!(name(entry).as_deref(), Some(expected));
        }
        assert_eq!((name("_Z9short"), name("saxpy")), (None, None));
        // The function does not change names that no compiler emits.
        for endless in ["P", "1tI", "N1t"] {
            assert_eq!(name(&format!("_Z1kI{}", endless.repeat(1_000_000))), None);
            assert_eq!(name(&format!("_Z1kI{}", endless.repeat(20_000))), None);
        }
    }

    #[test]
    fn an_instance_is_named_with_or_without_arguments() {
        let name = CppName::of("_ZN3ops5saxpyIjLi4EEEvPT_").unwrap();
        for called in ["saxpy", "ops::saxpy", "saxpy<unsigned,4>", "ops::saxpy<unsigned int, 4>"] {
            assert!(name.is(called), "{called}");
        }
        assert!(!name.is("saxpy<float, 4>") && !name.is("axpy") && !name.is("<"));
    }
}

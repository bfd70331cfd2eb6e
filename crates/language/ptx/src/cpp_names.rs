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
    CppName::of(entry).map_or(Cow::Borrowed(entry), |name| Cow::Owned(name.to_string()))
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
        let text = text.replace("> >", ">>").replace("> >", ">>");
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
    use super::CppName;

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

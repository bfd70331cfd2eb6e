//! Names in C++ of mangled entries (Itanium ABI, section 5.1), as people write them for `--entry`: the path, and the
//! arguments of the template where they are plain types and numbers. Parameters are left out.

/// The name in C++ of a mangled entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CppName {
    /// With its namespaces: `ops::saxpy`.
    pub path: String,
    /// The arguments of its template, if it is an instance and they can be read: `<float, 4>`.
    pub arguments: Option<String>,
}

impl CppName {
    /// The name of a mangled entry; `None` if it is not mangled, or is mangled in another way.
    pub fn of(entry: &str) -> Option<CppName> {
        let rest = entry.strip_prefix("_Z")?;
        let nested = rest.strip_prefix('N');
        let mut text = Text { rest: nested.unwrap_or(rest), types: TYPES };
        let mut names: Vec<&str> = Vec::new();
        while let Some(name) = text.name() {
            names.push(name);
            if nested.is_none() {
                break;
            }
        }
        let path = names.join("::");
        (!path.is_empty()).then(|| CppName { path, arguments: text.arguments() })
    }

    /// Whether somebody means this entry by `name`: its path or the last part of it, with or without arguments.
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

/// Normalizes arguments for comparison: without spaces, and `unsigned` for `unsigned int`.
fn plain(arguments: &str) -> String {
    arguments.replace(' ', "").replace("unsignedint", "unsigned")
}

/// The types that have a letter.
const LETTERS: [(&str, &str); 15] = [
    ("b", "bool"),
    ("c", "char"),
    ("a", "signed char"),
    ("h", "unsigned char"),
    ("s", "short"),
    ("t", "unsigned short"),
    ("i", "int"),
    ("j", "unsigned int"),
    ("l", "long"),
    ("m", "unsigned long"),
    ("x", "long long"),
    ("y", "unsigned long long"),
    ("f", "float"),
    ("d", "double"),
    ("v", "void"),
];

/// Types of a name at most. They are read by recursion, and a name in PTX may be of any length.
const TYPES: u32 = 256;

/// A mangled text, read from the left.
struct Text<'a> {
    rest: &'a str,
    /// Types that may still be read.
    types: u32,
}

impl<'a> Text<'a> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `5saxpy`.
    fn name(&mut self) -> Option<&'a str> {
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
        let length: usize = self.rest[..digits].parse().ok()?;
        let name = self.rest[digits..].get(..length)?;
        self.rest = &self.rest[digits + length..];
        Some(name)
    }

    /// `IfLi4EE`.
    fn arguments(&mut self) -> Option<String> {
        if !self.take("I") {
            return None;
        }
        let mut all = Vec::new();
        while !self.take("E") {
            all.push(self.argument()?);
        }
        Some(format!("<{}>", all.join(", ")))
    }

    fn argument(&mut self) -> Option<String> {
        if !self.take("L") {
            return self.ty();
        }
        let ty = self.ty()?;
        let end = self.rest.find('E')?;
        let number = self.rest[..end].replace('n', "-");
        self.rest = &self.rest[end + 1..];
        Some(match (ty.as_str(), number.as_str()) {
            ("bool", "0") => "false".to_owned(),
            ("bool", "1") => "true".to_owned(),
            _ => number,
        })
    }

    fn ty(&mut self) -> Option<String> {
        self.types = self.types.checked_sub(1)?;
        for (prefix, after) in [("PK", " const*"), ("P", "*"), ("R", "&"), ("K", " const")] {
            if self.take(prefix) {
                return Some(self.ty()? + after);
            }
        }
        if let Some((_, name)) = LETTERS.iter().find(|(letter, _)| self.take(letter)) {
            return Some((*name).to_owned());
        }
        let nested = self.take("N");
        let mut path = vec![self.name()?];
        while nested && !self.take("E") {
            path.push(self.name()?);
        }
        let arguments = if self.rest.starts_with('I') { self.arguments()? } else { String::new() };
        Some(path.join("::") + &arguments)
    }
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
            // Substitutions and templates inside of paths stay unread.
            ("_Z3mapI3FooS0_Evv", "map"),
            ("_Z3mapIN3ops3AddIfEEEvv", "map"),
        ] {
            assert_eq!(name(entry).as_deref(), Some(expected));
        }
        assert_eq!((name("_Z9short"), name("saxpy")), (None, None));
        // Reading stops early at names that no compiler emits.
        for endless in ["P", "1tI", "N1t"] {
            let entry = format!("_Z1kI{}", endless.repeat(1_000_000));
            assert_eq!(name(&entry).as_deref(), Some("k"));
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

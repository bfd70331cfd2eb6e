//! The parameters that a mangled name declares (Itanium ABI, section 5.1).

/// The type behind a pointer: its name in C++, the kinds of numpy that match it, and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointee {
    /// Its name in C++.
    pub name: &'static str,
    /// The kinds of numpy that match it.
    pub kinds: &'static str,
    /// Its size.
    pub bytes: usize,
}

/// The letters of plain types in mangled names (Itanium ABI, section 5.1.5.2).
const PLAIN: [(char, &str, &str, usize); 13] = [
    ('b', "bool", "bu", 1),
    ('c', "char", "iu", 1),
    ('a', "signed char", "iu", 1),
    ('h', "unsigned char", "iu", 1),
    ('s', "short", "iu", 2),
    ('t', "unsigned short", "iu", 2),
    ('i', "int", "iu", 4),
    ('j', "unsigned int", "iu", 4),
    ('l', "long", "iu", 8),
    ('m', "unsigned long", "iu", 8),
    ('x', "long long", "iu", 8),
    ('f', "float", "f", 4),
    ('d', "double", "f", 8),
];

/// The types behind the pointers that a mangled function takes, if they are plain types; `None` for
/// names that are not mangled, nested or of a template.
pub fn cpp_parameters(entry: &str) -> Option<Vec<Option<Pointee>>> {
    let rest = entry.strip_prefix("_Z")?;
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let length: usize = rest.get(..digits)?.parse().ok()?;
    let mut rest = rest.get(digits + length..)?;
    let mut all: Vec<Option<Pointee>> = Vec::new();
    // Substitutions: pointers and qualified types, in their order.
    let mut seen: Vec<Option<Pointee>> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (found, after) = one_parameter(rest, first, &mut seen)?;
        all.push(found);
        rest = after;
    }
    Some(all)
}

/// One parameter, and the text after it; `None` for unsupported types.
fn one_parameter<'t>(
    text: &'t str,
    first: char,
    seen: &mut Vec<Option<Pointee>>,
) -> Option<(Option<Pointee>, &'t str)> {
    if first == 'S' {
        let (index, rest) = text[1..].split_once('_')?;
        let index = if index.is_empty() { 0 } else { usize::from_str_radix(index, 36).ok()? + 1 };
        return Some((seen.get(index)?.clone(), rest));
    }
    let (pointers, mut rest) = match text.strip_prefix('P') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    rest = rest.trim_start_matches('r');
    let qualified = rest.strip_prefix('K');
    rest = qualified.unwrap_or(rest);
    if let Some(substitution) = rest.strip_prefix('S') {
        let (index, after) = substitution.split_once('_')?;
        let index = if index.is_empty() { 0 } else { usize::from_str_radix(index, 36).ok()? + 1 };
        let found = seen.get(index)?.clone();
        if pointers {
            seen.push(found.clone());
        }
        return Some((found.filter(|_| pointers), after));
    }
    let letter = rest.chars().next()?;
    let (_, name, kinds, bytes) = PLAIN.into_iter().find(|(plain, ..)| *plain == letter)?;
    let found = Pointee { name, kinds, bytes };
    if qualified.is_some() {
        seen.push(Some(found.clone()));
    }
    if pointers {
        seen.push(Some(found.clone()));
    }
    Some((pointers.then_some(found), &rest[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_of_mangled_names_are_read() {
        let of = |entry| -> Option<Vec<&'static str>> {
            let names = cpp_parameters(entry)?.into_iter();
            Some(names.map(|found| found.map_or("", |found| found.name)).collect())
        };
        assert_eq!(of("_Z1kPKiiPfi"), Some(vec!["int", "", "float", ""]));
        assert_eq!(of("_Z5saxpyfPKfPfi"), Some(vec!["", "float", "float", ""]));
        assert_eq!(of("_Z3addPdS_S_i"), Some(vec!["double", "double", "double", ""]));
        assert_eq!(of("_Z3addPKdS0_Pdi"), Some(vec!["double", "double", "double", ""]));
        assert_eq!(of("kernel"), None);
        assert_eq!(of("_Z1kIfEvPT_i"), None);
        assert_eq!(of("_ZN2ns1kEPf"), None);
    }
}

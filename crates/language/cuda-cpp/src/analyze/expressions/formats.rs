//! Formats of `printf` compared with the types of the arguments, as NVIDIA's and C compilers do.

use super::Analyzer;
use crate::source::{SourceProblem, Span};
use crate::typed::{FunctionNumber, Typed};
use crate::types::TypeId;

/// The functions with a format, and its position.
const FUNCTIONS: [(&str, usize); 5] =
    [("printf", 0), ("fprintf", 1), ("sprintf", 1), ("snprintf", 2), ("asprintf", 1)];

/// The kind of value that a conversion reads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reads {
    /// An integer of so many bytes.
    Integer(u64),
    /// A `double`.
    Double,
    /// Characters.
    Text,
    /// Any pointer.
    Pointer,
}

/// The conversions of a format: their text, without flags, and what they read. `None` if there is one that this function
/// does not know.
fn conversions(format: &str) -> Option<Vec<(String, Reads)>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        let head = rest.find(|c: char| !"-+ #0123456789.*".contains(c))?;
        let stars = rest[..head].matches('*').count();
        found.extend(std::iter::repeat_n(("%*".to_owned(), Reads::Integer(4)), stars));
        rest = &rest[head..];
        let length = rest.find(|c: char| !"hljzt".contains(c))?;
        let bytes = match &rest[..length] {
            "" | "h" | "hh" => 4,
            "l" | "ll" | "j" | "z" | "t" => 8,
            _ => return None,
        };
        let letter = rest[length..].chars().next()?;
        let reads = match letter {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => Reads::Integer(bytes),
            'c' if bytes == 4 => Reads::Integer(4),
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => Reads::Double,
            's' if bytes == 4 => Reads::Text,
            'p' => Reads::Pointer,
            _ => return None,
        };
        rest = &rest[length + letter.len_utf8()..];
        found.push((format!("%{}{letter}", &format_length(bytes, letter)), reads));
    }
    Some(found)
}

/// The length modifier that messages show.
fn format_length(bytes: u64, letter: char) -> &'static str {
    if bytes == 8 && "diuxXo".contains(letter) { "l" } else { "" }
}

/// The characters of adjacent string literals as they are written; `None` if the text is anything else, such as a macro.
fn literal(text: &str) -> Option<String> {
    let mut characters = text.trim().chars().peekable();
    let mut inside = String::new();
    while let Some(quote) = characters.next() {
        if quote.is_whitespace() {
            continue;
        }
        if quote != '"' {
            return None;
        }
        loop {
            match characters.next()? {
                '"' => break,
                // No escape sequence stands for a `%` that anyone writes.
                '\\' => drop(characters.next()?),
                one => inside.push(one),
            }
        }
    }
    Some(inside)
}

impl Analyzer {
    /// Warns of arguments that do not suit a literal format.
    pub(super) fn check_format(&mut self, number: FunctionNumber, values: &[Typed]) {
        let record = self.function(number);
        if !record.syntax.signature.variadic || !self.parser.map.is_builtin(record.syntax.span) {
            return;
        }
        let name = self.parser.names.text(record.name);
        let Some((_, at)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else { return };
        let Some(format) = values.get(*at) else { return };
        if self.parser.map.is_builtin(format.span) {
            return;
        }
        let text = self.parser.map.text(format.span);
        let Some(wanted) = literal(text).and_then(|text| conversions(&text)) else { return };
        let (given, place) = (&values[at + 1..], format.span);
        if wanted.len() != given.len() {
            let (wanted, given) = (wanted.len(), given.len());
            let message =
                format!("the format reads {wanted} arguments, but {given} are given after it");
            self.report(SourceProblem::warning(place, message));
            return;
        }
        for ((conversion, reads), value) in wanted.iter().zip(given) {
            self.check_conversion(conversion, *reads, value.ty, value.span);
        }
    }

    fn check_conversion(&mut self, conversion: &str, reads: Reads, ty: TypeId, span: Span) {
        let types = &self.types;
        let integer = types.is_integer(ty) || types.is_enumeration(ty);
        let (float, pointer) = (types.is_float(ty), types.is_pointer(ty));
        if !integer && !float && !pointer {
            return;
        }
        let fits = match reads {
            Reads::Integer(bytes) => integer && types.size(ty) == bytes,
            Reads::Double => float,
            Reads::Text | Reads::Pointer => pointer,
        };
        // Smaller integers are promoted.
        if fits || reads == Reads::Integer(4) && integer && types.size(ty) < 4 {
            return;
        }
        let instead = match () {
            () if pointer => "%p",
            () if float => "%f",
            () => match (types.size(ty) == 8, types.is_signed(ty)) {
                (true, true) => "%ld",
                (true, false) => "%lu",
                (false, true) => "%d",
                (false, false) => "%u",
            },
        };
        let expected = match reads {
            Reads::Integer(8) => "a 64-bit integer",
            Reads::Integer(_) => "an `int`",
            Reads::Double => "a `double`",
            Reads::Text => "a string",
            Reads::Pointer => "a pointer",
        };
        let shown = self.show(ty);
        let message = format!("`{conversion}` prints {expected}, but the argument is {shown}");
        let problem = SourceProblem::warning(span, message);
        self.report(problem.help(format!("write `{instead}`, or convert the argument")));
    }
}

#[cfg(test)]
mod tests {
    use super::{Reads, conversions, literal};

    #[test]
    fn conversions_of_a_format() {
        let of = |text| conversions(text).expect("known");
        let read: Vec<Reads> =
            of("%5.2f%% %-*ld %s %p %hhu\\n").into_iter().map(|(_, reads)| reads).collect();
        let expected = [
            Reads::Double,
            Reads::Integer(4),
            Reads::Integer(8),
            Reads::Text,
            Reads::Pointer,
            Reads::Integer(4),
        ];
        assert_eq!(read, expected);
        assert!(of("100 %%").is_empty());
        for unknown in ["%", "%q", "%n", "%Lf", "%ls"] {
            assert_eq!(conversions(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn only_literals_are_formats() {
        assert_eq!(literal("\"a %d\\n\" \"b\\\"\"").as_deref(), Some("a %db"));
        assert_eq!(literal("FORMAT \"a\""), None);
        assert_eq!(literal("\"a"), None);
    }
}

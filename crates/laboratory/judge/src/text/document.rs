//! A TOML file whose values keep their positions, and errors in it with line and column.

use crate::text;
use crate::text::Node;
use std::collections::BTreeSet;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of the file, with its position and its path from the root.
pub struct Value<'a> {
    source: Source<'a>,
    value: Spanned<DeValue<'a>>,
    path: String,
}

impl<'a> Value<'a> {
    /// Parses a file into its root table.
    ///
    /// # Errors
    /// The position of the syntax error.
    pub fn parse(source: Source<'a>) -> Result<Value<'a>, TaskError> {
        let parsed = DeTable::parse(source.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.error(at, format!("this is not TOML: {}", error.message()), "")
        })?;
        let span = parsed.span();
        let value = Spanned::new(span, DeValue::Table(parsed.into_inner()));
        Ok(Value { source, value, path: String::new() })
    }

    /// An error at this value.
    pub fn error(&self, why: impl fmt::Display, help: impl Into<String>) -> TaskError {
        let why = match self.path.is_empty() {
            true => why.to_string(),
            false => format!("`{}`: {why}", self.path),
        };
        self.source.error(self.value.span().start, why, help)
    }

    fn wrong(&self, wanted: &str) -> TaskError {
        self.error(format!("expected {wanted}, found {}", self.value.get_ref().type_str()), "")
    }

    fn child(&self, path: String, value: &Spanned<DeValue<'a>>) -> Value<'a> {
        Value { source: self.source, value: value.clone(), path }
    }

    /// The values of a table by name, in file order. Names outside `known` are errors, unless `known` is empty.
    ///
    /// # Errors
    /// If this is not a table, or has unknown names.
    pub fn table(&self, known: &[&str]) -> Result<Table<'a>, TaskError> {
        let Some(table) = self.value.get_ref().as_table() else {
            return Err(self.wrong("a table"));
        };
        let mut entries = Vec::new();
        for (name, value) in table {
            let text = name.get_ref().to_string();
            if !known.is_empty() && !known.contains(&text.as_str()) {
                let why = match self.path.is_empty() {
                    true => format!("`{text}` is not known here"),
                    false => format!("`{text}` is not known in `{}`", self.path),
                };
                let help = format!("available: {}", known.join(", "));
                return Err(self.source.error(name.span().start, why, help));
            }
            let path = match self.path.is_empty() {
                true => text.clone(),
                false => format!("{}.{text}", self.path),
            };
            entries.push((name.span().start, text, self.child(path, value)));
        }
        entries.sort_by_key(|(at, ..)| *at);
        let entries = entries.into_iter().map(|(_, name, value)| (name, value)).collect();
        Ok(Table { place: self.error("", ""), entries })
    }

    /// The values of an array.
    ///
    /// # Errors
    /// If this is not an array.
    pub fn array(&self) -> Result<Vec<Value<'a>>, TaskError> {
        let Some(array) = self.value.get_ref().as_array() else {
            return Err(self.wrong("an array"));
        };
        let child = |(index, one)| self.child(format!("{}[{index}]", self.path), one);
        Ok(array.iter().enumerate().map(child).collect())
    }

    /// An array, or a single value as an array of one.
    pub fn one_or_more(&self) -> Vec<Value<'a>> {
        self.array().unwrap_or_else(|_| vec![self.child(self.path.clone(), &self.value)])
    }

    /// Whether this is a table.
    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    /// A string.
    ///
    /// # Errors
    /// If this is not a string.
    pub fn string(&self) -> Result<String, TaskError> {
        self.value.get_ref().as_str().map(str::to_owned).ok_or_else(|| self.wrong("a string"))
    }

    /// One of these names.
    ///
    /// # Errors
    /// If this is not one of them.
    pub fn one_of<T>(
        &self,
        known: impl Fn(&str) -> Option<T>,
        names: &[&str],
    ) -> Result<T, TaskError> {
        let name = self.string()?;
        known(&name).ok_or_else(|| {
            self.error(format!("`{name}` is not known"), format!("available: {}", names.join(", ")))
        })
    }

    /// A Boolean.
    ///
    /// # Errors
    /// If this is not a Boolean.
    pub fn boolean(&self) -> Result<bool, TaskError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// A nonnegative integer.
    ///
    /// # Errors
    /// If this is not a nonnegative integer.
    pub fn whole(&self) -> Result<u64, TaskError> {
        let wanted = "a whole number from 0 on";
        let Some(integer) = self.value.get_ref().as_integer() else {
            return Err(self.wrong(wanted));
        };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .map_err(|_| self.error(format!("expected {wanted}"), ""))
    }

    /// A number.
    ///
    /// # Errors
    /// If this is not a number.
    pub fn number(&self) -> Result<f64, TaskError> {
        let value = self.value.get_ref();
        let text = match (value.as_float(), value.as_integer()) {
            (Some(float), _) => float.as_str(),
            (_, Some(integer)) => integer.as_str(),
            _ => return Err(self.wrong("a number")),
        };
        text.parse().map_err(|_| self.error(format!("`{text}` is not a valid number"), ""))
    }

    /// An expression: a string or a plain number.
    ///
    /// # Errors
    /// If this is neither; a mistake in the expression has its own position.
    pub fn expression(&self) -> Result<Expression, TaskError> {
        let text = match self.value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(_) | DeValue::Float(_) => {
                let value = self.number()?;
                let whole = self.value.get_ref().is_integer();
                let node = Node::Number(value, whole);
                return Ok(Expression {
                    node,
                    place: Box::new(self.error("", "")),
                    text: value.to_string(),
                });
            }
            _ => return Err(self.wrong("an expression")),
        };
        let place = Box::new(self.error("", ""));
        match text::parse(&text) {
            Ok(node) => Ok(Expression { node, place, text }),
            Err(error) => {
                let at = self.value.span().start + 1 + error.at;
                Err(self.source.error(at, format!("`{}`: {}", self.path, error.why), ""))
            }
        }
    }
}

/// A table's values by name.
pub struct Table<'a> {
    place: TaskError,
    entries: Vec<(String, Value<'a>)>,
}

impl<'a> Table<'a> {
    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value with this name, which is required.
    ///
    /// # Errors
    /// If it is missing.
    pub fn need(&self, name: &str, help: &str) -> Result<&Value<'a>, TaskError> {
        self.get(name).ok_or_else(|| {
            let mut error = self.place.clone();
            let of = error.why.trim_end_matches(": ").to_owned();
            error.why = match of.is_empty() {
                true => format!("`{name}` is missing"),
                false => format!("{of} has no `{name}`"),
            };
            error.help = help.to_owned();
            error
        })
    }

    /// Every name with its value.
    pub fn entries(&self) -> &[(String, Value<'a>)] {
        &self.entries
    }

    /// The names.
    pub fn names(&self) -> BTreeSet<String> {
        self.entries.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// An expression of the file, and its position.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The parsed expression.
    pub node: Node,
    /// As written.
    pub text: String,
    place: Box<TaskError>,
}

impl Expression {
    /// An error at a byte of the expression.
    pub fn error_at(&self, at: usize, why: impl fmt::Display) -> TaskError {
        let error = self.error(why, "");
        TaskError { column: error.column + 1 + at, ..error }
    }

    /// An error that appears only when the expression is used.
    pub fn error(&self, why: impl fmt::Display, help: impl Into<String>) -> TaskError {
        let why = format!("{}{why}", self.place.why);
        TaskError { why, help: help.into(), ..(*self.place).clone() }
    }
}

/// An error in a task file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskError {
    /// Path of the file.
    pub file: String,
    /// The line, from 1; 0 for an error of the whole file.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The text of the line.
    pub text: String,
    /// The error.
    pub why: String,
    /// How to fix it.
    pub help: String,
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  --> {}", self.why, self.file)?;
        if self.line > 0 {
            let (line, gap) = (self.line, " ".repeat(self.line.to_string().len()));
            write!(f, ":{line}:{}\n {gap} |\n {line} | {}", self.column, self.text)?;
            write!(f, "\n {gap} | {}^", " ".repeat(self.column.saturating_sub(1)))?;
        }
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  = help: {}", self.help) }
    }
}

impl std::error::Error for TaskError {}

/// A file and its text.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The error at a byte of the text.
    pub fn error(&self, at: usize, why: impl Into<String>, help: impl Into<String>) -> TaskError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        TaskError {
            file: self.name.to_owned(),
            line: before.matches('\n').count() + 1,
            column: self.text[start..at].chars().count() + 1,
            text: self.text[start..].lines().next().unwrap_or_default().to_owned(),
            why: why.into(),
            help: help.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_have_line_and_column() {
        let text = "[a]\nx = 1\ny = \"n +\"\n";
        let source = Source { name: "t.toml", text };
        let top = Value::parse(source).expect("TOML").table(&[]).expect("a table");
        let a = top.need("a", "").expect("a").table(&[]).expect("a table");
        let error = a.get("y").expect("y").expression().expect_err("unfinished");
        assert_eq!((error.line, error.column), (3, 9), "{error}");
        let error = a.get("x").expect("x").string().expect_err("a number");
        assert_eq!((error.line, error.column), (2, 5), "{error}");
        let error = a.need("z", "add it").map(drop).expect_err("missing");
        assert!(error.to_string().contains("`a` has no `z`"), "{error}");
        let error = top.get("a").expect("a").table(&["x"]).map(drop).expect_err("y is unknown");
        assert_eq!((error.line, error.column), (3, 1));
        let broken = Source { name: "t", text: "x = [1,\ny" };
        let error = Value::parse(broken).map(drop).expect_err("broken");
        assert_eq!(error.line, 2, "{error}");
    }
}

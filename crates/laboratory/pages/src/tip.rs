//! The tooltip of a mark: rows with a name and a value, which the script displays in a box.

use crate::words::english;
use maud::{Markup, Render, html};

/// Rows with a name, which is a catalog key or a plain word, and a value.
#[derive(Clone, Debug, Default)]
pub struct Tip {
    title: String,
    rows: Vec<(String, String)>,
}

impl Tip {
    /// A tip with this title.
    pub fn new(title: impl Into<String>) -> Tip {
        Tip { title: title.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(mut self, name: &str, value: impl Into<String>) -> Tip {
        self.rows.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a row if the value exists.
    pub fn maybe(self, name: &str, value: Option<String>) -> Tip {
        match value {
            Some(value) => self.row(name, value),
            None => self,
        }
    }

    /// The JSON form for the script.
    pub fn json(&self) -> String {
        serde_json::json!([self.title, self.rows]).to_string()
    }

    /// The text form, for screen readers.
    pub fn words(&self) -> String {
        let rows: Vec<String> =
            self.rows.iter().map(|(name, value)| format!("{}: {value}", english(name))).collect();
        match rows.is_empty() {
            true => self.title.clone(),
            false => format!("{}. {}", self.title, rows.join(", ")),
        }
    }
}

/// Renders the tip's text as the title of a mark in a drawing.
impl Render for Tip {
    fn render(&self) -> Markup {
        html! { title { (self.words()) } }
    }
}

//! Charts as static drawings: bars, the roofline, lines, heat maps, histograms. The tip of each mark shows its values.

mod bars;
mod lines;
mod placement;
mod roofline;
mod strip;

pub use bars::{Bar, Bars, Columns, Reference, Segment};
pub use lines::{Cell, Curve, Heat, Lines, Point};
pub use roofline::{Mark, Roof, Roofline};
pub use strip::{Dot, Strip, StripRow};

use crate::words::english;
use maud::{Markup, Render, html};

/// Hatch patterns for values that need care.
pub fn definitions() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" focusable="false" {
            defs {
                pattern #hatch width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch-ground width="6" height="6" {}
                    line.hatch-line x1="0" y1="0" x2="0" y2="6" {}
                }
                pattern #hatch-bad width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch-bad-ground width="6" height="6" {}
                    line.hatch-bad-line x1="0" y1="0" x2="0" y2="6" {}
                }
            }
        }
    }
}

/// The shape of a mark, by number, at a point; series differ in shape as well as in color.
pub fn shape(kind: usize, x: f64, y: f64, size: f64) -> Markup {
    use crate::format::plain as p;
    let s = size;
    let path = match kind % 6 {
        0 => return html! { circle cx=(p(x)) cy=(p(y)) r=(p(s)) {} },
        1 => format!("M{} {}h{d}v{d}h-{d}z", p(x - 0.9 * s), p(y - 0.9 * s), d = p(1.8 * s)),
        2 => format!(
            "M{} {}L{} {}L{} {}z",
            p(x),
            p(y - 1.25 * s),
            p(x + 1.15 * s),
            p(y + 0.85 * s),
            p(x - 1.15 * s),
            p(y + 0.85 * s)
        ),
        3 => format!(
            "M{} {}L{} {}L{} {}L{} {}z",
            p(x),
            p(y - 1.3 * s),
            p(x + 1.3 * s),
            p(y),
            p(x),
            p(y + 1.3 * s),
            p(x - 1.3 * s),
            p(y)
        ),
        4 => format!(
            "M{} {}L{} {}L{} {}z",
            p(x),
            p(y + 1.25 * s),
            p(x + 1.15 * s),
            p(y - 0.85 * s),
            p(x - 1.15 * s),
            p(y - 0.85 * s)
        ),
        _ => {
            let (a, b) = (0.42 * s, 1.2 * s);
            format!(
                "M{} {}H{}V{}H{}V{}H{}V{}H{}V{}H{}V{}H{}z",
                p(x - a),
                p(y - b),
                p(x + a),
                p(y - a),
                p(x + b),
                p(y + a),
                p(x + a),
                p(y + b),
                p(x - a),
                p(y + a),
                p(x - b),
                p(y - a),
                p(x - a)
            )
        }
    };
    html! { path d=(path) {} }
}

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

//! The HTML report: ladders, rooflines, sweeps and kernels in one file that needs no network.
//!
//! [`Report`] is plain data, read from the JSON output of the commands ([`Report::add_json`]); [`Report::html`]
//! renders the file. Drawings are static SVG, so the report is readable without scripts; a small script adds routes,
//! hover, filters, theme and language. This crate runs no kernels.

mod charts;
mod format;
mod highlight;
pub mod record;
mod sections;
mod words;

pub use record::Report;

/// Maximum size of the file, if shorter listings can achieve it.
const MOST_BYTES: usize = 4_900_000;
/// Maximum lines of a listing; the next smaller limit applies until the file is small enough.
const LISTED: [usize; 5] = [800, 400, 150, 40, 20];

impl Report {
    /// Renders the report as one HTML file. Truncates long listings of PTX and machine code to keep the file under 5
    /// MB.
    pub fn html(&self) -> String {
        let mut html = String::new();
        for lines in LISTED {
            html = sections::page(self, lines).into_string();
            // Shapes of drawings may close themselves; those with a title do not.
            for shape in ["line", "rect", "circle"] {
                html = html.replace(&format!("\"></{shape}>"), "\"/>");
            }
            if html.len() <= MOST_BYTES {
                break;
            }
        }
        html
    }
}

//! The report of Lanework: ladders, rooflines, sweeps and kernels as one HTML file that needs no network.
//!
//! [`Report`] is plain data, read from the JSON that the commands print ([`Report::add_json`]); [`Report::html`]
//! gives the file. Drawings are static SVG, so that all can be read without scripts; a small script adds routes,
//! hover, filters, theme and language. Nothing here runs a kernel.

mod charts;
mod format;
mod highlight;
pub mod record;
mod scale;
mod sections;
mod tip;
mod words;

pub use record::Report;

/// Bytes of a file at most, where shorter listings can make it so.
const MOST_BYTES: usize = 4_900_000;
/// Lines of a listing that are shown, one after the other until the file is small enough.
const LISTED: [usize; 4] = [800, 400, 150, 40];

impl Report {
    /// The report as one HTML file. Listings of PTX and machine code are cut, where they are long or many, so that
    /// the file stays under 5 MB.
    pub fn html(&self) -> String {
        let mut html = String::new();
        for lines in LISTED {
            html = sections::page(self, lines).into_string();
            if html.len() <= MOST_BYTES {
                break;
            }
        }
        html
    }
}

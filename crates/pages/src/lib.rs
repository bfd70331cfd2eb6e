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

impl Report {
    /// The report as one HTML file.
    pub fn html(&self) -> String {
        sections::page(self).into_string()
    }
}

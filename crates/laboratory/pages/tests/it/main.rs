//! The report: its text, and its behavior in a browser.

mod browser;
mod golden;
mod sample;

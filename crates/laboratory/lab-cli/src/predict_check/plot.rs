//! A scatter plot of predicted over measured times, both logarithmic, as SVG.

use super::pair::MeasuredPair;
use std::fmt::Write;

const SIZE: f64 = 640.0;
const MARGIN: f64 = 60.0;
/// Decades of nanoseconds, from 1 us to 10 s.
const DECADES: [i32; 2] = [3, 10];

/// The suites with their colors.
const SUITES: [(&str, &str); 3] =
    [("ladders", "#1f77b4"), ("tuning", "#2ca02c"), ("test", "#d62728")];

fn place(ns: f64) -> f64 {
    let [low, high] = DECADES.map(f64::from);
    let part = (ns.max(1.0).log10() - low) / (high - low);
    MARGIN + part.clamp(0.0, 1.0) * (SIZE - 2.0 * MARGIN)
}

/// The plot.
pub fn scatter(pairs: &[MeasuredPair]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {SIZE}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"white\"/>\n"
    );
    let names = ["1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s"];
    let (near, far) = (MARGIN, SIZE - MARGIN);
    for (decade, name) in (DECADES[0]..=DECADES[1]).zip(names) {
        let at = place(10f64.powi(decade));
        let up = SIZE - at;
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {near}V{far}M{near} {up:.1}H{far}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>\
             <text x=\"{}\" y=\"{up:.1}\" text-anchor=\"end\">{name}</text>",
            far + 16.0,
            near - 6.0,
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{near} {far}L{far} {near}\" stroke=\"black\"/>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">measured</text>\
         <text x=\"14\" y=\"{}\" transform=\"rotate(-90 14 {})\" text-anchor=\"middle\">predicted</text>",
        SIZE / 2.0,
        SIZE - 16.0,
        SIZE / 2.0,
        SIZE / 2.0,
    );
    for (at, (suite, color)) in SUITES.iter().enumerate() {
        let y = near + 14.0 * at as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"{y}\" r=\"4\" fill=\"{color}\"/><text x=\"{}\" y=\"{}\">{suite}</text>",
            near + 12.0,
            near + 22.0,
            y + 4.0,
        );
        for pair in pairs.iter().filter(|pair| pair.suite == *suite) {
            let (x, y) = (place(pair.measured_ns), SIZE - place(pair.predicted_ns));
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\" fill-opacity=\"0.6\"><title>{}</title></circle>",
                pair.name
            );
        }
    }
    svg + "</svg>\n"
}

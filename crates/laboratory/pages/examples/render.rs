//! Renders a report from JSON files: `cargo run -p lanework-pages --example render -- report.html climb.json
//! profile.json`.

use lanework_pages::Report;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let output = arguments.next().ok_or("usage: render OUTPUT FILE.json...")?;
    let mut report = Report::default();
    for file in arguments {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        report.add_json(&text).map_err(|why| format!("{file}: {why}"))?;
    }
    std::fs::write(&output, report.html()).map_err(|error| format!("{output}: {error}"))
}

//! Pictures in the terminal.

use anstyle::{AnsiColor, Style};
use lanework::report::pictures::{
    Picture, bank_rows, bank_wavefronts, caption, cost, moments, ranges, sector_lines, strips,
};
use lanework::sim::{Space, Touch};

/// Lines of memory that are drawn.
const LINES: usize = 34;
/// Letters of a sector's cell.
const CELL: usize = 16;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const FAINT: Style = AnsiColor::BrightBlack.on_default();

/// The picture as text of at most 100 columns, with colours that a file does not get.
pub fn text(picture: &Picture) -> String {
    let mut text = format!("{}\n{}\n", picture.title, picture.code);
    for touch in &picture.touches {
        let cost = cost(touch);
        let style = if cost.optimal { GOOD } else { BAD };
        text.push_str(&format!("\n{}\n{style}{}{style:#}\n", caption(touch), cost.text));
        text.push_str(&match touch.space {
            Space::Shared => banks(touch),
            Space::Local => String::new(),
            Space::Global | Space::Constant => sectors(touch),
        });
    }
    text.push_str(&divergence(picture));
    text
}

/// A row of cells for each 128-byte line, with the lanes in its four sectors.
fn sectors(touch: &Touch) -> String {
    let lines = sector_lines(touch);
    let mut text = format!("{:14}", "");
    for first in [0, 32, 64, 96] {
        let bytes = format!("bytes {first}-{}", first + 31);
        text.push_str(&format!("{FAINT} {bytes:^CELL$}{FAINT:#}"));
    }
    text.push('\n');
    let first = lines.keys().next().copied().unwrap_or(0);
    for (line, cells) in lines.iter().take(LINES) {
        text.push_str(&format!("{:>+12} B", u128::from(line - first) * 128));
        for cell in cells {
            let range = ranges(&cell.lanes);
            text.push_str(&match (cell.lanes.len(), cell.bytes) {
                (0, _) => format!("|{FAINT}{}{FAINT:#}", "·".repeat(CELL)),
                (_, u32::MAX) => {
                    format!("|{GOOD}{:^CELL$}{GOOD:#}", short(&range, cell.lanes.len()))
                }
                (lanes, _) => format!("|{BAD}{:^CELL$}{BAD:#}", short(&range, lanes)),
            });
        }
        text.push_str("|\n");
    }
    if lines.len() > LINES {
        text.push_str(&format!("{:14} and {} more lines\n", "", lines.len() - LINES));
    }
    text.push_str(&format!(
        "{:14} the lanes in each sector; a row is a line of 128 bytes, from the first one accessed\n",
        ""
    ));
    text
}

/// The lanes if they fit a cell, else their number.
fn short(range: &str, lanes: usize) -> String {
    if range.len() > CELL { format!("{lanes} lanes") } else { range.to_owned() }
}

/// A grid of 32 banks with the lane at each word, and the wavefronts of each bank.
fn banks(touch: &Touch) -> String {
    let rows = bank_rows(touch);
    let wavefronts = bank_wavefronts(touch);
    let mut text = format!("{FAINT}{:>10}  ", "bank");
    (0..32).step_by(4).for_each(|bank| text.push_str(&format!("{bank:<8}")));
    text = format!("{}{FAINT:#}\n", text.trim_end());
    let letter = |lanes: &[usize]| match lanes {
        [lane] => char::from_digit(*lane as u32, 32).unwrap_or('?'),
        _ => '*',
    };
    for (row, cells) in rows.iter().take(LINES) {
        text.push_str(&format!("{:>8} B  ", u128::from(*row) * 128));
        for (bank, lanes) in cells.iter().enumerate() {
            let style = match (lanes.is_empty(), wavefronts[bank]) {
                (true, _) => FAINT,
                (false, 0 | 1) => GOOD,
                (false, _) => BAD,
            };
            let letter = if lanes.is_empty() { '·' } else { letter(lanes) };
            let blank = if bank < 31 { " " } else { "" };
            text.push_str(&format!("{style}{letter}{style:#}{blank}"));
        }
        text.push('\n');
    }
    if rows.len() > LINES {
        text.push_str(&format!("{:12}and {} more rows\n", "", rows.len() - LINES));
    }
    if wavefronts.iter().any(|&count| count > 1) {
        // One column for each digit: a bank has two at most.
        let digit = |ten: bool, count: usize| match (ten, count) {
            (_, 0 | 1) => ' ',
            (true, ..10) => ' ',
            (true, _) => char::from_digit(count as u32 / 10, 10).unwrap_or('9'),
            (false, _) => char::from_digit(count as u32 % 10, 10).unwrap_or('9'),
        };
        let row = |ten: bool| -> String {
            wavefronts.iter().flat_map(|&count| [digit(ten, count), ' ']).collect()
        };
        let tens = row(true);
        if !tens.trim().is_empty() {
            text.push_str(&format!("{:12}{BAD}{}{BAD:#}\n", "", tens.trim_end()));
        }
        text.push_str(&format!("{:>10}  {BAD}{}{BAD:#}\n", "wavefronts", row(false).trim_end()));
    }
    let legend = "0-9 a-v: the lane at the word; *: several lanes; a row is 128 bytes";
    text.push_str(&format!("{:12}{legend}\n", ""));
    text
}

/// The active lanes of each warp, from the first instruction to the last.
fn divergence(picture: &Picture) -> String {
    let mut text =
        String::from("\nactive lanes over time, from the first instruction to the last\n");
    let (strips, more) = strips(&picture.steps);
    for strip in strips {
        let bars: String = strip
            .means
            .iter()
            .map(|mean| match (mean / 4.0).ceil() as usize {
                0 => ' ',
                eighths => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][eighths.min(8) - 1],
            })
            .collect();
        text.push_str(&format!("{:>12}  {bars:<64} {} instr.\n", strip.name(), strip.instructions));
    }
    if more > 0 {
        text.push_str(&format!("{:14}and {more} more\n", ""));
    }
    let marks: String = moments(picture).iter().map(|here| if *here { '^' } else { ' ' }).collect();
    text.push_str(&format!("{:>12}  {}\n", "the line", marks.trim_end()));
    text.push_str(&format!("{:14}a full bar is 32 lanes, a blank none\n", ""));
    text
}

//! Terminal pictures of a warp's accesses.

use anstyle::{AnsiColor, Style};
use lanework::emulator::{Space, TracedAccess};
use lanework::report::layout::{excerpt, hanging, wrap};
use lanework::report::pictures::{
    Picture, bank_rows, bank_wavefronts, caption, cost, grouped, moments, ranges, repeated,
    sector_lines, strips,
};

/// Lines of memory that are drawn.
const LINES: usize = 34;
/// Maximum and minimum width of a sector's cell.
const CELL: usize = 16;
const LEAST: usize = 6;
/// Maximum width of a picture.
const MOST: usize = 100;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const FAINT: Style = AnsiColor::BrightBlack.on_default();

/// The picture as text of at most `width` columns, and at most 100, with colors, which are dropped in files.
pub fn text(picture: &Picture, width: usize) -> String {
    let width = width.min(MOST);
    let lines = |text: &str| wrap(text, width).join("\n");
    let mut text = format!("{}\n{}\n", lines(&picture.title), excerpt(&picture.code, width));
    for (touch, count) in grouped(&picture.touches) {
        let cost = cost(touch);
        let style = if cost.optimal { GOOD } else { BAD };
        let (caption, cost) = (lines(&caption(touch)), lines(&cost.text));
        let repeated = repeated(count).map_or(String::new(), |told| format!("{}\n", lines(&told)));
        text.push_str(&format!("\n{caption}\n{repeated}{style}{cost}{style:#}\n"));
        text.push_str(&match touch.space {
            Space::Shared => banks(touch, width),
            Space::Local => String::new(),
            Space::Global | Space::Constant => sectors(touch, width),
        });
    }
    text.push_str(&divergence(picture, width));
    text
}

/// A row of cells for each 128-byte line, with the lanes in its four sectors.
fn sectors(touch: &TracedAccess, width: usize) -> String {
    let lines = sector_lines(touch);
    let cell = (width.saturating_sub(15) / 4).saturating_sub(1).clamp(LEAST, CELL);
    let mut text = format!("{:14}", "");
    for first in [0, 32, 64, 96] {
        let unit = if cell > 11 { "bytes " } else { "" };
        let bytes = format!("{unit}{first}-{}", first + 31);
        let bytes = format!(" {bytes:^cell$}");
        let bytes = if first == 96 { bytes.trim_end() } else { &bytes };
        text.push_str(&format!("{FAINT}{bytes}{FAINT:#}"));
    }
    text.push('\n');
    let first = lines.keys().next().copied().unwrap_or(0);
    for (line, cells) in lines.iter().take(LINES) {
        text.push_str(&format!("{:>+12} B", u128::from(line - first) * 128));
        for sector in cells {
            let lanes = short(&ranges(&sector.lanes), sector.lanes.len(), cell);
            text.push_str(&match (sector.lanes.len(), sector.bytes) {
                (0, _) => format!("|{FAINT}{}{FAINT:#}", "·".repeat(cell)),
                (_, u32::MAX) => {
                    format!("|{GOOD}{lanes:^cell$}{GOOD:#}")
                }
                _ => format!("|{BAD}{lanes:^cell$}{BAD:#}"),
            });
        }
        text.push_str("|\n");
    }
    if lines.len() > LINES {
        text.push_str(&format!("{:14} and {} more lines\n", "", lines.len() - LINES));
    }
    let legend =
        "the lanes in each sector; a row is a line of 128 bytes, from the first one accessed";
    text + &hanging(&format!("{:15}", ""), legend, width)
}

/// The lanes if they fit a cell, else their number.
fn short(range: &str, lanes: usize, cell: usize) -> String {
    let number = format!("{lanes} lanes");
    match (range.len() <= cell, number.len() <= cell) {
        (true, _) => range.to_owned(),
        (false, true) => number,
        (false, false) => lanes.to_string(),
    }
}

/// A grid of 32 banks with the lane at each word, and the wavefronts of each bank.
fn banks(touch: &TracedAccess, width: usize) -> String {
    // Twelve columns of label; banks with a blank between them if there is room.
    let gap = if width >= 12 + 63 { " " } else { "" };
    let rows = bank_rows(touch);
    let wavefronts = bank_wavefronts(touch);
    let mut text = format!("{FAINT}{:>10}  ", "bank");
    let each = 4 * (1 + gap.len());
    (0..32).step_by(4).for_each(|bank| text.push_str(&format!("{bank:<each$}")));
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
            let blank = if bank < 31 { gap } else { "" };
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
            wavefronts.iter().map(|&count| format!("{}{gap}", digit(ten, count))).collect()
        };
        let tens = row(true);
        if !tens.trim().is_empty() {
            text.push_str(&format!("{:12}{BAD}{}{BAD:#}\n", "", tens.trim_end()));
        }
        text.push_str(&format!("{:>10}  {BAD}{}{BAD:#}\n", "wavefronts", row(false).trim_end()));
    }
    let legend = "0-9 a-v: the lane at the word; *: several lanes; a row is 128 bytes";
    text + &hanging(&format!("{:12}", ""), legend, width)
}

/// The active lanes of each warp, from the first instruction to the last.
fn divergence(picture: &Picture, width: usize) -> String {
    let title = "\nactive lanes over time, from the first instruction to the last";
    let mut text = hanging("", title, width);
    let room = width.saturating_sub(14 + 14).clamp(8, 64);
    let (strips, more) = strips(&picture.steps);
    for strip in strips {
        let means = fewer(&strip.means, room);
        let bars: String = means
            .iter()
            .map(|part| {
                match (part.iter().sum::<f64>() / part.len().max(1) as f64 / 4.0).ceil() as usize {
                    0 => ' ',
                    eighths => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][eighths.min(8) - 1],
                }
            })
            .collect();
        text.push_str(&format!(
            "{:>12}  {bars:<room$} {} instr.\n",
            strip.name(),
            strip.instructions
        ));
    }
    if more > 0 {
        text.push_str(&format!("{:14}and {more} more\n", ""));
    }
    let moments = moments(picture);
    let here = |part: &&[bool]| if part.contains(&true) { '^' } else { ' ' };
    let marks: String = fewer(&moments, room).iter().map(here).collect();
    text.push_str(&format!("{:>12}  {}\n", "the line", marks.trim_end()));
    text.push_str(&format!("{:14}a full bar is 32 lanes, a blank none\n", ""));
    text
}

/// Merges columns of time to at most `most`.
fn fewer<T>(columns: &[T], most: usize) -> Vec<&[T]> {
    let parts = columns.len().min(most).max(1);
    let span = |part: usize| part * columns.len() / parts;
    (0..parts).map(|part| &columns[span(part)..span(part + 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::text;
    use lanework::emulator::{AccessKind, Place, Space, TracedAccess};
    use lanework::report::pictures::Picture;

    fn touch(space: Space, bytes: u32, at: impl Fn(u64) -> u64) -> TracedAccess {
        let addresses = std::array::from_fn(|lane| at(lane as u64));
        let (kind, place) = (AccessKind::Load, Place::default());
        TracedAccess { place, space, kind, bytes, mask: u32::MAX, addresses }
    }

    fn plain(touch: TracedAccess) -> String {
        within(touch, 100)
    }

    fn within(touch: TracedAccess, width: usize) -> String {
        let step = |warp, mask| (Place { block: 0, warp, instruction: 0 }, mask);
        let picture = Picture {
            title: "k".to_owned(),
            code: "k.cu:3  a < b".to_owned(),
            touches: vec![touch],
            warp: 0,
            instructions: vec![0],
            steps: vec![step(0, u32::MAX), step(0, 0xffff), step(1, u32::MAX)],
        };
        anstream::adapter::strip_str(&text(&picture, width)).to_string()
    }

    #[test]
    fn pictures_have_captions() {
        let said = plain(touch(Space::Global, 4, |lane| 4 * lane));
        assert!(said.contains("global load of 4 B by 32 lanes: stride 4 B"), "{said}");
        assert!(
            said.contains("0-7") && said.contains("24-31") && said.contains("warp 1"),
            "{said}"
        );
        let said = plain(touch(Space::Shared, 4, |lane| 128 * lane));
        assert!(said.contains("32 wavefronts (optimal: 1)"), "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    }

    #[test]
    fn pictures_fit_the_terminal() {
        for width in 60..=100 {
            for bytes in [4, 16] {
                for space in [Space::Global, Space::Shared, Space::Local] {
                    for stride in [0, u64::from(bytes), 36, 256] {
                        let said = within(touch(space, bytes, |lane| stride * lane), width);
                        let most = said.lines().map(|line| line.chars().count()).max();
                        assert!(most <= Some(width), "{width} columns\n{said}");
                        assert!(said.lines().all(|line| line.trim_end() == line), "{said}");
                    }
                }
            }
        }
    }

    #[test]
    fn banks_without_conflicts_have_no_row_of_wavefronts() {
        let said = plain(touch(Space::Shared, 16, |lane| 16 * lane));
        assert!(!said.contains("wavefronts "), "{said}");
    }
}

//! Pictures in the terminal.

use super::{Picture, bank_rows, caption, ranges, sector_lines, strips, words_by_bank};
use lanework::sim::{Space, Touch};

/// Lines of memory that are drawn.
const LINES: usize = 34;
/// Letters of a sector's cell.
const CELL: usize = 14;

/// The picture as text of at most 100 columns.
pub fn text(picture: &Picture) -> String {
    let mut text = format!("{}\n{}\n", picture.title, picture.code);
    for touch in &picture.touches {
        text.push_str(&format!("\n{}\n", caption(touch)));
        text.push_str(&match touch.space {
            Space::Shared => banks(touch),
            _ => sectors(touch),
        });
    }
    text.push_str(&divergence(picture));
    text
}

fn sectors(touch: &Touch) -> String {
    let lines = sector_lines(touch);
    let count: usize = lines.values().flatten().filter(|lanes| !lanes.is_empty()).count();
    let ideal = (touch.mask.count_ones() * touch.bytes).div_ceil(32) as usize;
    let mut text = format!(
        "{count} sectors of 32 bytes, ideal {}; the lanes in each, a 128-byte line per row:\n",
        count.min(ideal)
    );
    let first = lines.keys().next().copied().unwrap_or(0);
    for (line, cells) in lines.iter().take(LINES) {
        text.push_str(&format!("  {:>+12} B ", (line - first) * 128));
        for lanes in cells {
            let said = ranges(lanes);
            let said = if said.len() > CELL { format!("{} lanes", lanes.len()) } else { said };
            let shade = if lanes.is_empty() { '·' } else { ' ' };
            text.push_str(
                &format!("|{said:^CELL$}")
                    .replace("              ", &shade.to_string().repeat(CELL)),
            );
        }
        text.push_str("|\n");
    }
    if lines.len() > LINES {
        text.push_str(&format!("  and {} more lines\n", lines.len() - LINES));
    }
    text
}

fn banks(touch: &Touch) -> String {
    let rows = bank_rows(touch);
    let words = words_by_bank(&rows);
    let most = words.iter().max().copied().unwrap_or(0);
    let plural = if most == 1 { "word" } else { "words" };
    let mut text =
        format!("at most {most} {plural} in one bank; a row is 128 bytes, a column a bank:\n");
    let letter = |lanes: &[usize]| match lanes {
        [] => '·',
        [lane] => char::from_digit(*lane as u32, 32).unwrap_or('?'),
        _ => '*',
    };
    for (row, cells) in rows.iter().take(LINES) {
        let cells: String = cells.iter().flat_map(|lanes| [letter(lanes), ' ']).collect();
        text.push_str(&format!("  {:>8} B  {}\n", row * 128, cells.trim_end()));
    }
    if rows.len() > LINES {
        text.push_str(&format!("  and {} more rows\n", rows.len() - LINES));
    }
    let marks: String = words
        .iter()
        .flat_map(|&words| {
            let mark = match words {
                0 | 1 => ' ',
                2..=9 => char::from_digit(words as u32, 10).unwrap_or('!'),
                _ => '!',
            };
            [mark, ' ']
        })
        .collect();
    if most > 1 {
        text.push_str(&format!("  conflicts   {}\n", marks.trim_end()));
    }
    text.push_str("  0-9 a-v: the lane; *: several lanes at one word; below: words of a bank, ! for 10 or more\n");
    text
}

/// How many lanes of each warp are active, from the first instruction to the last.
fn divergence(picture: &Picture) -> String {
    let mut text =
        String::from("\nactive lanes of the block's warps over time (full block: 32 lanes)\n");
    for (warp, count, means) in strips(&picture.steps) {
        let bars: String = means
            .iter()
            .map(|mean| match (mean / 4.0).ceil() as usize {
                0 => ' ',
                eighths => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][eighths.min(8) - 1],
            })
            .collect();
        text.push_str(&format!("  warp {warp:<3} {bars:<64} {count} instr.\n"));
    }
    text
}

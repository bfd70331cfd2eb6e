//! Quoted source lines that are longer than the terminal is wide: the part around the mark below them is shown.

/// Marks the removed ends of a line.
const CUT: &str = "...";

/// Shortens the quoted lines of a text (`12 | source`, with `   | ^^^^` below) to `width` characters.
pub fn fitted(text: &str, width: usize) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut shown = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        match lines.get(at + 1).and_then(|mark| shortened(lines[at], mark, width)) {
            Some([line, mark]) => {
                shown.extend([line, mark]);
                at += 2;
            }
            None => {
                shown.push(lines[at].to_owned());
                at += 1;
            }
        }
    }
    shown.join("\n")
}

/// A quoted line and its mark, shortened; `None` if the line fits, or is no quoted line with a mark.
fn shortened(line: &str, mark: &str, width: usize) -> Option<[String; 2]> {
    let margin = line.find(" | ")? + 3;
    let number = line[..margin - 3].trim_start();
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let below = mark.get(..margin)?;
    if !is_number || below.trim() != "|" || line.chars().count() <= width {
        return None;
    }
    let (source, below): (Vec<char>, Vec<char>) =
        (line[margin..].chars().collect(), mark[margin..].chars().collect());
    let first = below.iter().position(|c| !c.is_whitespace())?;
    if !below[first..].iter().all(|c| matches!(c, '^' | '~' | '-' | ' ')) {
        return None;
    }
    let room = width.saturating_sub(margin).max(4 * CUT.len());
    let last = below.len().min(first + room - 2 * CUT.len());
    // Shows as much as possible before the mark, unless its end would be cut.
    let from = if last + CUT.len() <= room { 0 } else { last + 2 * CUT.len() - room };
    let from = from.min(first);
    let before = if from == 0 { "" } else { CUT };
    let whole = source.len() - from + before.len() <= room;
    let until = if whole { source.len() } else { from + room - before.len() - CUT.len() };
    let after = if whole { "" } else { CUT };
    let part = |of: &[char], from: usize, until: usize| -> String {
        of[from.min(of.len())..until.min(of.len())].iter().collect()
    };
    let blank = " ".repeat(before.len());
    Some([
        format!("{}{before}{}{after}", &line[..margin], part(&source, from, until)),
        format!("{}{blank}{}", &mark[..margin], part(&below, from, until)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_around_the_mark_is_shown() {
        let source = "int i = blockIdx.x * blockDim.x + threadIdx.x; x[i + 1] = 1; y[0] = 2;";
        for (word, wanted) in [
            ("int i", ["7 | int i = blockIdx.x * bloc...", "  | ^^^^^"]),
            ("x[i + 1]", ["7 | ... threadIdx.x; x[i + 1]...", "  |                  ^^^^^^^^"]),
            ("2;", ["7 | ...[i + 1] = 1; y[0] = 2;", "  |                        ^^"]),
        ] {
            let start = source.find(word).expect("a part");
            let text = format!(
                "error\n7 | {source}\n  | {}{}\n  = help",
                " ".repeat(start),
                "^".repeat(word.len())
            );
            let shown = fitted(&text, 32);
            let lines: Vec<&str> = shown.lines().collect();
            assert!(lines.iter().all(|line| line.chars().count() <= 32), "{shown}");
            let marked = lines[2].find('^').expect("a mark");
            assert!(lines[1][marked..].starts_with(word), "{shown}");
            assert_eq!([lines[1], lines[2]], wanted);
            assert_eq!(fitted(&text, 100), text);
        }
        let other = "12 | a long line of a table | that has no mark\n13 | below";
        assert_eq!(fitted(other, 20), other);
    }
}

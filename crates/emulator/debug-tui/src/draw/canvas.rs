//! Texts, lines and boxes in cells of a terminal.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The meaning of a text, which decides its style. Each meaning also has a letter, a mark or a place of its own, so that
/// no information is in colors alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Normal text.
    Plain,
    /// Numbers of lines, legends, frames.
    Faint,
    /// The frame of the pane with the focus.
    Focus,
    /// The selection, or the current line.
    Selected,
    /// The line of the cursor.
    Cursor,
    /// A changed value.
    Changed,
    /// A stop.
    Stop,
    /// A finding or an error.
    Alarm,
    /// The past of the launch on the timeline.
    Past,
}

/// A buffer to draw on.
pub struct Canvas<'b> {
    /// The cells.
    pub buffer: &'b mut Buffer,
    /// Whether to use colors.
    pub color: bool,
}

impl Canvas<'_> {
    fn style(&self, ink: Ink) -> Style {
        let (color, modifier) = match ink {
            Ink::Plain => (Color::Reset, Modifier::empty()),
            Ink::Faint => (Color::DarkGray, Modifier::empty()),
            Ink::Focus => (Color::Cyan, Modifier::BOLD),
            Ink::Selected => (Color::Reset, Modifier::REVERSED),
            Ink::Cursor => (Color::Reset, Modifier::UNDERLINED),
            Ink::Changed => (Color::Yellow, Modifier::BOLD),
            Ink::Stop => (Color::Magenta, Modifier::BOLD),
            Ink::Alarm => (Color::Red, Modifier::BOLD),
            Ink::Past => (Color::Cyan, Modifier::empty()),
        };
        let style = Style::new().add_modifier(modifier);
        if self.color { style.fg(color) } else { style }
    }

    /// Writes a text into at most `width` columns; a longer one ends with `…`. Returns the columns it took.
    pub fn put(&mut self, (x, y): (u16, u16), width: usize, ink: Ink, text: &str) -> u16 {
        let area = self.buffer.area;
        if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
            return 0;
        }
        let width = width.min(usize::from(area.right() - x));
        let text = cut(text, width);
        let style = self.style(ink);
        let (end, _) = self.buffer.set_stringn(x, y, text, width, style);
        end - x
    }

    /// Writes a text that fills a row, in the style of the whole row.
    pub fn row(&mut self, at: (u16, u16), width: usize, ink: Ink, text: &str) {
        let text = cut(text, width);
        let blank = " ".repeat(width.saturating_sub(text.width()));
        self.put(at, width, ink, &format!("{text}{blank}"));
    }

    /// Draws the frame of a pane, thick if it has the focus, with texts in its upper and lower edges.
    pub fn frame(&mut self, area: Rect, has_focus: bool, (title, legend): (&str, &str)) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let ink = if has_focus { Ink::Focus } else { Ink::Faint };
        let (corners, across, down) = match has_focus {
            true => (["┏", "┓", "┗", "┛"], "━", "┃"),
            false => (["┌", "┐", "└", "┘"], "─", "│"),
        };
        let (left, right) = (area.left(), area.right() - 1);
        let (top, bottom) = (area.top(), area.bottom() - 1);
        let inside = usize::from(area.width - 2);
        let line = across.repeat(inside);
        for (y, first, last) in [(top, corners[0], corners[1]), (bottom, corners[2], corners[3])] {
            self.put((left, y), usize::from(area.width), ink, &format!("{first}{line}{last}"));
        }
        for y in top + 1..bottom {
            self.put((left, y), 1, ink, down);
            self.put((right, y), 1, ink, down);
        }
        let edge = |text: &str| cut(text, inside.saturating_sub(2));
        for (y, text, ink) in [
            (top, title, if has_focus { Ink::Focus } else { Ink::Plain }),
            (bottom, legend, Ink::Faint),
        ] {
            if !text.is_empty() {
                self.put((left + 1, y), inside, ink, &format!(" {} ", edge(text)));
            }
        }
    }
}

/// The columns of a text.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// A text without control characters, cut to a number of columns.
pub fn cut(text: &str, width: usize) -> String {
    let clean: String = text.chars().filter(|letter| !letter.is_control()).collect();
    if clean.width() <= width {
        return clean;
    }
    let mut taken = 0;
    let mut kept = String::new();
    for letter in clean.chars() {
        taken += letter.width().unwrap_or(0);
        if taken + 1 > width {
            break;
        }
        kept.push(letter);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("变量和内存", 6), "变量…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(cut("a\u{1b}[31mb", 9), "a[31mb");
    }
}

//! Draws a view.

mod canvas;
mod panes;
mod rows;

use crate::layout::{LEAST, Panes, panes};
use crate::state::keys::HELP;
use crate::state::{KeyMode, Pane};
use crate::view::ScreenView;
use canvas::{Canvas, Ink, columns, cut};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};

/// Draws a view on a whole screen; returns the place of the cursor, if it is visible.
pub fn draw(view: &ScreenView, buffer: &mut Buffer) -> Option<Position> {
    let Rect { width, height, .. } = buffer.area;
    let mut canvas = Canvas { buffer, color: view.color };
    let Some(panes) = panes(width, height) else {
        let least = format!("{}x{}", LEAST.0, LEAST.1);
        let text = format!("the screen is {width}x{height}; the debugger needs {least}");
        canvas.put((0, 0), width.into(), Ink::Plain, &(view.words)(&text));
        return None;
    };
    canvas.row((0, 0), width.into(), Ink::Selected, &view.title);
    canvas.source(view, panes.source);
    canvas.variables(view, panes.variables);
    canvas.warp(view, panes.warp);
    canvas.lower(view, panes.lower);
    if let Some(area) = panes.replies {
        canvas.replies(view, area);
    }
    canvas.timeline(view, panes.timeline);
    let cursor = canvas.status(view, &panes);
    if view.mode == KeyMode::Help {
        canvas.help(view, Rect::new(0, 0, width, height));
    }
    cursor
}

impl Canvas<'_> {
    /// The prompt, the progress or the message; and the keys.
    fn status(&mut self, view: &ScreenView, panes: &Panes) -> Option<Position> {
        let Rect { x, y, width, .. } = panes.status;
        let (at, width) = ((x, y), usize::from(width));
        let mut cursor = None;
        match (&view.progress, &view.mode, &view.status) {
            (Some(progress), ..) => self.row(at, width, Ink::Selected, progress),
            (None, KeyMode::Prompt(prompt), _) => {
                // Of a long command, the part up to the cursor is shown.
                let before: String = prompt.text[..prompt.cursor].iter().collect();
                let hidden = (columns(&before) + 2).saturating_sub(width);
                let text: String = prompt.text.iter().skip(hidden).collect();
                self.row(at, width, Ink::Plain, &format!(":{text}"));
                let shown: String = prompt.text[..prompt.cursor].iter().skip(hidden).collect();
                let column = (columns(&shown) + 1).min(width.saturating_sub(1)) as u16;
                cursor = Some(Position::new(x + column, y));
            }
            (None, _, Some(status)) => {
                let ink = if status.is_error { Ink::Alarm } else { Ink::Plain };
                self.row(at, width, ink, &status.text);
            }
            (None, _, None) => {
                let unit = match view.unit {
                    lanework_debug::session::stepping::StepUnit::Thread => {
                        "steps follow the selected thread (u changes this)"
                    }
                    lanework_debug::session::stepping::StepUnit::Warp => {
                        "steps follow all lanes of the warp (u changes this)"
                    }
                    lanework_debug::session::stepping::StepUnit::Block => {
                        "steps follow all warps of the block (u changes this)"
                    }
                };
                self.row(at, width, Ink::Faint, &(view.words)(unit));
            }
        }
        let keys = "s step n next c continue (capitals: back) b break w who wrote : command ? help";
        let keys = (view.words)(keys);
        self.row((panes.keys.x, panes.keys.y), width, Ink::Plain, &keys);
        cursor
    }

    /// The keys, over all panes.
    fn help(&mut self, view: &ScreenView, screen: Rect) {
        let (width, height) = (screen.width.min(76), (HELP.len() as u16 + 4).min(screen.height));
        let (x, y) = ((screen.width - width) / 2, (screen.height - height) / 2);
        let area = Rect::new(x, y, width, height);
        for row in area.top()..area.bottom() {
            self.row((x, row), width.into(), Ink::Plain, "");
        }
        let title = (view.words)("Keys");
        self.frame(area, true, (&title, &(view.words)("any key closes this")));
        for (index, (key, text)) in HELP.iter().enumerate() {
            let y = y + 1 + index as u16;
            let text = (view.words)(text);
            let inside = usize::from(width) - 4;
            match key.is_empty() {
                true => {
                    self.put((x + 2, y), inside, Ink::Focus, &text);
                }
                false => {
                    self.put((x + 4, y), 12, Ink::Stop, key);
                    self.put((x + 17, y), inside - 15, Ink::Plain, &text);
                }
            }
        }
    }

    /// The number and the title of a pane, in brackets if it has the focus.
    fn tab_title(view: &ScreenView, pane: Pane, is_shown: bool) -> String {
        let number = Pane::ALL.iter().position(|other| *other == pane).unwrap_or(0) + 1;
        let title = (view.words)(pane.title());
        if is_shown { format!("[{number} {title}]") } else { format!("{number} {title}") }
    }
}

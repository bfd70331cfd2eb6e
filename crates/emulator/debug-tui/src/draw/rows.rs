//! The panes of the memory, the findings, the replies and the output.

use crate::draw::canvas::{Canvas, Ink};
use crate::draw::panes::cell_text;
use crate::state::Pane;
use crate::view::ScreenView;
use ratatui_core::layout::Rect;

impl Canvas<'_> {
    /// The lower left area, with the titles of its tabs.
    pub(super) fn lower(&mut self, view: &ScreenView, area: Rect) {
        let tabs = Pane::ALL.iter().filter(|pane| pane.is_tab());
        let titles: Vec<String> =
            tabs.map(|pane| Self::tab_title(view, *pane, *pane == view.tab)).collect();
        let memory = &view.memory;
        let legend = match view.tab {
            Pane::Memory if memory.array.is_empty() => String::new(),
            Pane::Memory => {
                let array = format!("{}: {} x {}", memory.array, memory.count, memory.ty);
                format!("{array}, {}", (view.words)("? not written yet"))
            }
            Pane::Findings => (view.words)("Enter goes to it, x to its other access"),
            _ => String::new(),
        };
        self.frame(area, view.pane == view.tab, (&titles.join(" "), &legend));
        match view.tab {
            Pane::Findings => self.findings(view, area),
            Pane::Replies => self.lines(area, &view.replies),
            Pane::Output if view.output.is_empty() => {
                self.note(view, area, "the kernel has printed nothing so far");
            }
            Pane::Output => self.lines(area, &view.output),
            _ => self.memory(view, area),
        }
    }

    /// The replies, in a pane of their own.
    pub(super) fn replies(&mut self, view: &ScreenView, area: Rect) {
        let title = Self::tab_title(view, Pane::Replies, false);
        self.frame(area, view.pane == Pane::Replies, (&title, ""));
        self.lines(area, &view.replies);
    }

    fn lines(&mut self, area: Rect, lines: &[String]) {
        let inside = usize::from(area.width.saturating_sub(2));
        let rows = usize::from(area.height.saturating_sub(2));
        for (index, line) in lines.iter().take(rows).enumerate() {
            let at = (area.x + 1, area.y + 1 + index as u16);
            self.put(at, inside, Ink::Plain, &line.replace('\t', "    "));
        }
    }

    fn note(&mut self, view: &ScreenView, area: Rect, text: &str) {
        self.lines(area, &[(view.words)(text)]);
    }

    fn findings(&mut self, view: &ScreenView, area: Rect) {
        let Some(findings) = &view.findings else {
            return self.note(view, area, "f checks the launch for races and bad accesses");
        };
        if findings.is_empty() {
            return self.note(view, area, "the sanitizer found nothing");
        }
        let inside = usize::from(area.width.saturating_sub(2));
        for (index, row) in findings.iter().enumerate() {
            let mark = if row.is_selected { '>' } else { ' ' };
            let ink = if row.is_selected { Ink::Selected } else { Ink::Plain };
            let at = (area.x + 1, area.y + 1 + index as u16);
            self.row(at, inside, ink, &format!("{mark}{}", row.text));
        }
        let below = area.y + 1 + findings.len() as u16;
        self.below((area.x + 1, below), area, &view.finding);
    }

    fn memory(&mut self, view: &ScreenView, area: Rect) {
        let memory = &view.memory;
        let inside = usize::from(area.width.saturating_sub(2));
        if let Some(why) = &memory.why {
            self.note(view, area, why);
            if memory.rows.iter().flat_map(|(_, row)| row).all(|cell| cell.value.is_empty()) {
                return;
            }
        }
        for (index, (first, cells)) in memory.rows.iter().enumerate() {
            let y = area.y + 1 + index as u16;
            let label = format!("{first:>0$}", memory.label - 1);
            self.put((area.x + 1, y), memory.label, Ink::Faint, &label);
            for (column, cell) in cells.iter().enumerate() {
                let x = memory.label + column * memory.width;
                let width = memory.width.min(inside.saturating_sub(x));
                let ink = match (cell.is_selected, cell.has_changed) {
                    (true, _) => Ink::Selected,
                    (_, true) => Ink::Changed,
                    _ => Ink::Plain,
                };
                let text =
                    cell_text(&cell.value, cell.is_written, cell.has_changed, width.max(3) - 1);
                let bar = if cell.is_selected { '[' } else { ' ' };
                self.put((area.x + 1 + x as u16, y), width, ink, &format!("{bar}{text}"));
            }
        }
        let below = area.y + 1 + memory.rows.len() as u16;
        self.below((area.x + 1, below), area, &memory.note);
    }

    /// Lines below a list, as far as the pane goes.
    fn below(&mut self, (x, y): (u16, u16), area: Rect, lines: &[String]) {
        let inside = usize::from(area.width.saturating_sub(2));
        for (line, y) in lines.iter().zip(y..area.bottom().saturating_sub(1)) {
            self.put((x, y), inside, Ink::Focus, line);
        }
    }
}

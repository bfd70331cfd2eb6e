//! Draws cells on a terminal by crossterm. The package `ratatui-crossterm` does the same, but needs another ten packages.

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{
    Attribute, Color as TerminalColor, Print, SetAttribute, SetForegroundColor,
};
use crossterm::terminal::{
    Clear, ClearType as TerminalClear, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes over the terminal, if it is not: keys come one by one and are not shown, and the screen is another one. Returns
/// whether it was not.
///
/// # Errors
/// If the terminal cannot be controlled.
pub fn take_over() -> io::Result<bool> {
    if TAKEN.load(Ordering::Relaxed) {
        return Ok(false);
    }
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::Relaxed);
    execute!(io::stdout(), EnterAlternateScreen, Hide, Clear(TerminalClear::All))?;
    Ok(true)
}

/// Gives the terminal back, once.
pub fn restore() {
    if TAKEN.swap(false, Ordering::Relaxed) {
        // A terminal that is gone needs no restoration.
        let _ = execute!(io::stdout(), SetAttribute(Attribute::Reset), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A terminal that is drawn by crossterm.
pub struct CrosstermBackend<W> {
    out: W,
}

impl<W: Write> CrosstermBackend<W> {
    /// A terminal that is written through `out`.
    pub fn new(out: W) -> CrosstermBackend<W> {
        CrosstermBackend { out }
    }
}

/// The terminal's color.
fn terminal_color(color: Color) -> TerminalColor {
    match color {
        Color::DarkGray => TerminalColor::DarkGrey,
        Color::Cyan => TerminalColor::DarkCyan,
        Color::Yellow => TerminalColor::DarkYellow,
        Color::Magenta => TerminalColor::DarkMagenta,
        Color::Red => TerminalColor::DarkRed,
        _ => TerminalColor::Reset,
    }
}

impl<W: Write> Backend for CrosstermBackend<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut style = (Color::Reset, Modifier::empty());
        let mut next = None;
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(self.out, MoveTo(x, y))?;
            }
            next = x.checked_add(1).map(|x| (x, y));
            if style != (cell.fg, cell.modifier) {
                style = (cell.fg, cell.modifier);
                queue!(self.out, SetAttribute(Attribute::Reset))?;
                for (modifier, attribute) in [
                    (Modifier::BOLD, Attribute::Bold),
                    (Modifier::REVERSED, Attribute::Reverse),
                    (Modifier::UNDERLINED, Attribute::Underlined),
                ] {
                    if cell.modifier.contains(modifier) {
                        queue!(self.out, SetAttribute(attribute))?;
                    }
                }
                if cell.fg != Color::Reset {
                    queue!(self.out, SetForegroundColor(terminal_color(cell.fg)))?;
                }
            }
            queue!(self.out, Print(cell.symbol()))?;
        }
        queue!(self.out, SetAttribute(Attribute::Reset))
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        execute!(self.out, Hide)
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        execute!(self.out, Show)
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Only a part of a screen would ask.
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        execute!(self.out, MoveTo(x, y))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        let region = match region {
            ClearType::All => TerminalClear::All,
            ClearType::AfterCursor => TerminalClear::FromCursorDown,
            ClearType::BeforeCursor => TerminalClear::FromCursorUp,
            ClearType::CurrentLine => TerminalClear::CurrentLine,
            ClearType::UntilNewLine => TerminalClear::UntilNewLine,
        };
        execute!(self.out, Clear(region))
    }

    fn size(&self) -> io::Result<Size> {
        let (width, height) = crossterm::terminal::size()?;
        Ok(Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

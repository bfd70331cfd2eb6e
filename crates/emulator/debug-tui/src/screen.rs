//! The terminal: raw mode, keys, drawing, and slow commands that can be interrupted.

mod backend;

use crate::Translator;
use crate::draw::draw;
use crate::state::{App, KeyEffect};
use crate::view::ScreenView;
use backend::CrosstermBackend;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use lanework_debug::commands::Console;
use lanework_debug::launches::LaunchMove;
use lanework_debug::timeline::RunControl;
use ratatui_core::terminal::Terminal;
use std::io::{self, Stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Once};
use std::time::Duration;

type Screens = Terminal<CrosstermBackend<Stdout>>;

/// The time after which a command shows its progress.
const SLOW: Duration = Duration::from_millis(150);
/// The time between two looks at the keys while a command runs.
const LOOK: Duration = Duration::from_millis(60);

/// The interface on the terminal. Dropping it restores the terminal.
pub struct Screen {
    app: App,
    terminal: Screens,
}

impl Screen {
    /// Takes over the terminal. A panic restores it before its message.
    ///
    /// # Errors
    /// If the terminal cannot be controlled.
    pub fn open(words: Translator, color: bool) -> io::Result<Screen> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                backend::restore();
                before(panic);
            }));
        });
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        let screen = Screen { app: App::new(words, color), terminal };
        backend::take_over()?;
        Ok(screen)
    }

    /// Debugs one launch, until the user quits or leaves it for another launch; returns which. Between two launches, the
    /// terminal is as usual, so that Ctrl-C ends a recording.
    ///
    /// # Errors
    /// If the terminal cannot be read or written.
    pub fn hold(&mut self, console: &mut Console<'_, '_>) -> io::Result<Option<LaunchMove>> {
        if backend::take_over()? {
            self.terminal.clear()?;
        }
        self.app.arrive(console);
        loop {
            let size = self.terminal.size()?;
            self.app.resize(size.width, size.height);
            let view = ScreenView::of(&mut self.app, console);
            show(&mut self.terminal, &view)?;
            let key = match read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => key,
                _ => continue,
            };
            let control = Arc::clone(console.session.timeline().control());
            let app = &mut self.app;
            let work = || app.press(key, console);
            match while_following(&mut self.terminal, &view, &control, work)? {
                KeyEffect::Stay => {}
                KeyEffect::Quit => return Ok(None),
                KeyEffect::Leave(to) => {
                    backend::restore();
                    return Ok(Some(to));
                }
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        backend::restore();
    }
}

/// Draws a view.
fn show(terminal: &mut Screens, view: &ScreenView) -> io::Result<()> {
    terminal.draw(|frame| {
        if let Some(cursor) = draw(view, frame.buffer_mut()) {
            frame.set_cursor_position(cursor);
        }
    })?;
    Ok(())
}

/// Runs a command, while another thread shows its progress and interrupts it on request.
fn while_following<R>(
    terminal: &mut Screens,
    view: &ScreenView,
    control: &RunControl,
    work: impl FnOnce() -> R,
) -> io::Result<R> {
    let (running, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let follower = scope.spawn(move || follow(terminal, view, control, &ended));
        let result = work();
        drop(running);
        let followed = follower.join();
        let followed = followed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        followed.map(|()| result)
    })
}

/// Follows a command until it ends.
fn follow(
    terminal: &mut Screens,
    view: &ScreenView,
    control: &RunControl,
    ended: &Receiver<()>,
) -> io::Result<()> {
    let mut wait = SLOW;
    loop {
        match ended.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        wait = LOOK;
        let progress = match control.is_interrupted() {
            true => (view.words)("interrupting"),
            false => {
                let (step, steps) = (control.step(), view.timeline.steps);
                (view.words)(&format!("running: step {step} of {steps}; Esc interrupts"))
            }
        };
        show(terminal, &ScreenView { progress: Some(progress), ..view.clone() })?;
        while poll(Duration::ZERO)? {
            if let Event::Key(key) = read()?
                && interrupts(key)
            {
                control.interrupt();
            }
        }
    }
}

/// Whether a key interrupts a command.
fn interrupts(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.code == KeyCode::Esc || control && key.code == KeyCode::Char('c')
}

//! Random keys on screens of random sizes: nothing panics, and each frame keeps its borders.

use crate::common::{Stage, index, plain, race, text, wait};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use lanework_debug_tui::layout::{Panes, panes};
use lanework_debug_tui::state::App;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A key, or a whole command.
#[derive(Clone, Debug)]
enum RandomInput {
    Key(KeyCode),
    Control(char),
    Command(&'static str),
    Size(u16, u16),
}

const COMMANDS: &[&str] = &[
    "break 5",
    "break 4 if t == 40",
    "watch tile[3]",
    "delete 1",
    "memory y",
    "memory y + 1",
    "memory (y as f32*)",
    "memory 7",
    "lanes tile[63 - t]",
    "lanes t * 2",
    "lanes )",
    "goto 17",
    "thread 40",
    "order reversed",
    "order seed 3",
    "print y[0..4]",
    "who read x[1] 9",
    "finding 1",
    "launch 2",
    "help",
    "é漢字",
    "",
    "block 3",
];

fn input() -> impl Strategy<Value = RandomInput> {
    let letters: Vec<char> = "snoicSNOIC<>ubBwrgmvfx,.[]{}:?hjk12345678zé".chars().collect();
    let names = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::F(1),
    ];
    prop_oneof![
        8 => prop::sample::select(letters).prop_map(|letter| RandomInput::Key(KeyCode::Char(letter))),
        6 => prop::sample::select(names.to_vec()).prop_map(RandomInput::Key),
        1 => prop::sample::select(vec!['u', 'a', 'e', 'f', 'b', 'x']).prop_map(RandomInput::Control),
        3 => prop::sample::select(COMMANDS.to_vec()).prop_map(RandomInput::Command),
        1 => (1u16..200, 1u16..60).prop_map(|(width, height)| RandomInput::Size(width, height)),
    ]
}

fn apply(stage: &mut Stage<'_, '_, '_>, input: &RandomInput) {
    let press = |stage: &mut Stage<'_, '_, '_>, key: KeyEvent| {
        stage.app.press(key, stage.console);
    };
    match input {
        RandomInput::Key(code) => press(stage, KeyEvent::from(*code)),
        RandomInput::Control(letter) => {
            press(stage, KeyEvent::new(KeyCode::Char(*letter), KeyModifiers::CONTROL));
        }
        RandomInput::Command(line) => {
            press(stage, KeyEvent::from(KeyCode::Esc));
            press(stage, KeyEvent::from(KeyCode::Char(':')));
            line.chars().for_each(|letter| press(stage, KeyEvent::from(KeyCode::Char(letter))));
            press(stage, KeyEvent::from(KeyCode::Enter));
        }
        RandomInput::Size(width, height) => stage.size = (*width, *height),
    }
}

/// Checks that the frames of the panes are whole: no text runs over them.
fn check_frames(stage: &mut Stage<'_, '_, '_>) {
    let screen = stage.screen();
    let shown = text(&screen);
    let Some(Panes { source, variables, warp, lower, .. }) = panes(stage.size.0, stage.size.1)
    else {
        return;
    };
    // The help covers the panes, in either language.
    if ["any key closes this", "按任意键关闭"].iter().any(|legend| shown.contains(legend)) {
        return;
    }
    for pane in [source, variables, warp, lower] {
        let symbol = |x: u16, y: u16| screen[(x, y)].symbol().to_owned();
        let (right, bottom) = (pane.right() - 1, pane.bottom() - 1);
        for (corner, known) in [
            (symbol(pane.left(), pane.top()), "┌┏"),
            (symbol(right, pane.top()), "┐┓"),
            (symbol(pane.left(), bottom), "└┗"),
            (symbol(right, bottom), "┘┛"),
        ] {
            assert!(known.contains(&corner), "{corner} in {pane:?}\n{shown}");
        }
        for y in pane.top() + 1..bottom {
            for x in [pane.left(), right] {
                assert!("│┃".contains(&symbol(x, y)), "column {x}, row {y} of {pane:?}\n{shown}");
            }
        }
    }
}

fn run(app: fn() -> App, cases: u32) {
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    for launch in [race(), index(), wait()] {
        let inputs = prop::collection::vec(input(), 1..40);
        let result = runner.run(&inputs, |inputs| {
            launch.show(app(), (80, 24), |stage| {
                for input in &inputs {
                    apply(stage, input);
                    check_frames(stage);
                }
            });
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
    }
}

#[test]
fn no_keys_panic_and_every_frame_fits() {
    run(plain, 24);
}

#[test]
fn no_keys_panic_in_chinese_and_colors() {
    run(|| App::new(lanework_terminal::words::chinese_term, true), 6);
}

//! Whole screens after scripted keys, compared with files in `tests/screens`.

use crate::common::{Stage, TestLaunch, index, plain, race, wait};
use lanework_debug_tui::state::KeyEffect;
use lanework_testing::expect_file;
use std::path::Path;

/// Compares the screen after some keys with a file.
fn compare(name: &str, launch: &TestLaunch, act: impl FnOnce(&mut Stage<'_, '_, '_>)) {
    compare_at(name, launch, (80, 24), act);
}

fn compare_at(
    name: &str,
    launch: &TestLaunch,
    size: (u16, u16),
    act: impl FnOnce(&mut Stage<'_, '_, '_>),
) {
    launch.show(plain(), size, |stage| {
        act(stage);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
        expect_file(path.join(format!("{name}.txt")), &stage.text());
    });
}

#[test]
fn the_start_shows_the_first_line() {
    compare("start", &race(), |_| {});
}

#[test]
fn a_breakpoint_is_set_at_the_cursor_and_hit() {
    compare("breakpoint", &race(), |stage| stage.keys("down down down down b c"));
}

#[test]
fn one_lane_steps() {
    compare("lane", &race(), |stage| {
        stage.keys("down down b c 3 right right n");
    });
}

#[test]
fn the_last_writer_of_an_element_is_named_and_reached() {
    let to_writer = |stage: &mut Stage<'_, '_, '_>| {
        stage.keys(">");
        stage.command("memory y");
        stage.keys("4 right right right w");
    };
    compare("writer", &index(), to_writer);
    index().show(plain(), (80, 24), |stage| {
        to_writer(stage);
        stage.keys("g");
        assert!(stage.text().contains("transpose.cu:5 in transpose"), "{}", stage.text());
        assert_eq!(stage.console.session.step(), 35);
    });
}

#[test]
fn a_finding_is_listed_marked_and_reached() {
    compare("finding", &wait(), |stage| stage.keys("f enter"));
}

#[test]
fn help_covers_the_screen_until_a_key() {
    compare("help", &race(), |stage| stage.keys("?"));
    race().show(plain(), (80, 24), |stage| {
        let before = stage.text();
        stage.keys("? q");
        assert_eq!(stage.text(), before);
    });
}

#[test]
fn a_tall_screen_shows_replies_beside_memory() {
    compare_at("tall", &race(), (120, 40), |stage| {
        stage.command("print threadIdx.x + 1");
        stage.command("print nothing");
    });
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    compare_at("small", &race(), (60, 20), |stage| stage.keys("n"));
}

#[test]
fn marks_of_the_timeline_are_visited_in_both_directions() {
    race().show(plain(), (80, 24), |stage| {
        stage.command("break 5");
        let step = |stage: &mut Stage<'_, '_, '_>, keys: &str| {
            stage.keys(keys);
            stage.console.session.step()
        };
        let first = step(stage, ".");
        let second = step(stage, ".");
        assert!(first > 0 && second > first, "{first} {second}");
        assert_eq!(step(stage, "."), second, "there is no third one");
        assert!(stage.text().contains("no mark in this direction"), "{}", stage.text());
        assert_eq!(step(stage, ","), first);
        assert_eq!(step(stage, "8 home enter"), 0);
        assert_eq!(step(stage, "end enter"), stage.console.session.timeline().steps());
    });
}

#[test]
fn a_variable_is_shown_in_the_lanes_or_in_memory() {
    race().show(plain(), (80, 24), |stage| {
        stage.command("break 5");
        stage.keys("c 2");
        let names = ["t", "y", "tile"];
        for (index, name) in names.iter().enumerate() {
            stage.keys("home");
            for _ in 0..index {
                stage.keys("down");
            }
            stage.keys("enter");
            let shown = stage.text();
            let wanted = if *name == "t" { "/2: t".to_owned() } else { format!("{name}: 64 x") };
            assert!(shown.contains(&wanted), "{wanted}\n{shown}");
        }
    });
}

#[test]
fn quitting_and_errors_are_told_apart() {
    use crossterm::event::KeyCode::Char;
    race().show(plain(), (80, 24), |stage| {
        stage.command("nonsense");
        assert!(stage.text().contains("`nonsense` is not a command"), "{}", stage.text());
        stage.keys("4 w");
        assert!(stage.text().contains("no step before step 0 wrote tile[0]"), "{}", stage.text());
        stage.keys("g");
        assert!(stage.text().contains("w asks who wrote"), "{}", stage.text());
        assert_eq!(stage.press(Char('q')), KeyEffect::Quit);
    });
}

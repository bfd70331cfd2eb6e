//! The pictures of the documentation: drawn here from the same screens, so that they are never out of date.
//! `LANEWORK_BLESS=1` writes them.

use crate::common::{Stage, TestLaunch, index, race, wait};
use lanework_debug_tui::Translator;
use lanework_debug_tui::picture::svg;
use lanework_debug_tui::state::App;
use lanework_testing::expect_file;
use std::path::Path;

/// Draws a picture in both languages.
fn picture(name: &str, launch: &TestLaunch, act: impl Fn(&mut Stage<'_, '_, '_>)) {
    let english: Translator = str::to_owned;
    for (language, words) in [("en", english), ("zh", lanework_terminal::words::chinese_term)] {
        launch.show(App::new(words, true), (80, 24), |stage| {
            act(stage);
            let picture = svg(&stage.screen());
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src");
            let path = folder.join(language).join("pictures").join(format!("{name}.svg"));
            expect_file(path, &picture);
        });
    }
}

#[test]
fn the_race_is_found_on_the_screen() {
    picture("debug-race", &race(), |stage| {
        stage.keys("f enter x");
        stage.command("lanes tile[63 - t]");
    });
}

#[test]
fn the_wrong_index_is_found_on_the_screen() {
    picture("debug-index", &index(), |stage| {
        stage.keys(">");
        stage.command("memory y");
        stage.keys("4 right right right w");
    });
}

#[test]
fn the_missing_wait_is_found_on_the_screen() {
    picture("debug-wait", &wait(), |stage| stage.keys("f enter 4 w"));
}

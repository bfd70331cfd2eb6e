//! The language of the terminal: English, or Chinese by `--lang zh`, `LANEWORK_LANG=zh` or a Chinese locale.
//!
//! The English text in the code is the key: code and libraries produce English and do not deal with languages. Terminal
//! output passes through [`say`], which looks up each line in the catalogue. JSON, SARIF, pictures, PTX and other data
//! go through [`crate::output::print_data`] and are never changed.
//!
//! **To add a text**: write it in English, print it with `output::print`, and add two lines to the file of its area in
//! `crates/terminal/words/zh/`: the English text with a `{hole}` for each value, and the Chinese one with the same holes
//!
//! ```text
//! no {kind} is called `{name}`
//! 没有名为 `{name}` 的{kind}
//! ```
//!
//! A text of several lines is one line in the catalogue, with a space for each line end. The contents of a hole are
//! translated, too, unless they are in quotes or backticks, or the hole is named `entry`, `ladder` or `rung`. If a
//! whole line is not in the catalogue, it is split: into columns, sentences, then at `;`, `:`, `,` and parentheses, so
//! that `padded: SOME TEXT` needs only `SOME TEXT`.
//! `cargo test -p lanework-terminal words` lists missing translations, as lines to fill in, and obsolete entries.
//!
//! Why no existing crate: fluent and rust-i18n replace texts by keys, which moves sentences away from the code that
//! chooses them, and gettext needs a call for each text. None can translate a finished sentence returned by a library,
//! and fluent would add 20 crates to a build that has to stay short.

mod catalogue;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod english;
mod help;
#[cfg(test)]
mod literals;
mod locale;
mod spacing;
#[cfg(test)]
mod spoken;
mod translate;

pub use locale::{choose, without_option};

use catalogue::Catalogue;
use locale::Language;
use std::borrow::Cow;
use std::sync::OnceLock;

/// The language that was chosen.
static CHOSEN: OnceLock<Language> = OnceLock::new();

/// Chooses the language, once.
pub fn speak(language: Language) {
    CHOSEN.get_or_init(|| language);
}

/// Whether the language is Chinese.
pub fn are_chinese() -> bool {
    matches!(CHOSEN.get(), Some(Language::Chinese))
}

/// The catalogue, if the language is not English.
fn catalogue() -> Option<&'static Catalogue> {
    are_chinese().then(chinese_catalogue)
}

fn chinese_catalogue() -> &'static Catalogue {
    static CHINESE: OnceLock<Catalogue> = OnceLock::new();
    CHINESE.get_or_init(Catalogue::chinese)
}

/// The language in which the headers of rungs are read.
pub fn of_kernels() -> lanework_ladders::Language {
    match CHOSEN.get() {
        Some(Language::Chinese) => lanework_ladders::Language::Chinese,
        _ => lanework_ladders::Language::English,
    }
}

/// A text of any number of lines in the language of the user.
pub fn say(text: &str) -> Cow<'_, str> {
    match catalogue() {
        None => Cow::Borrowed(text),
        Some(catalogue) => Cow::Owned(translate::text(catalogue, text)),
    }
}

/// A text of any number of lines in Chinese, whatever the language of the user.
///
/// ```
/// assert_eq!(lanework_terminal::words::chinese("no barriers"), "不再有屏障");
/// ```
pub fn chinese(text: &str) -> String {
    translate::text(chinese_catalogue(), text)
}

/// A command of clap with the option `--lang`, its help in the language of the user.
pub fn command(command: clap::Command) -> clap::Command {
    help::command(command, catalogue())
}

/// A text that becomes part of the help of a command.
pub fn help(text: &str) -> Cow<'_, str> {
    match catalogue() {
        None => Cow::Borrowed(text),
        Some(catalogue) => Cow::Owned(help::part(text, catalogue)),
    }
}

/// clap's output (help or a usage error) in the user's language.
pub fn of_clap(error: &clap::Error) -> String {
    let text = error.render().ansi().to_string();
    match catalogue() {
        None => text,
        Some(catalogue) if error.use_stderr() => help::finish(&translate::text(catalogue, &text)),
        Some(catalogue) => help::finish_help(catalogue, &text),
    }
}

/// A standalone word or phrase: a header, a label or a verdict. In [`say`], a line of one word may be a name; here it
/// is a word.
pub fn term(text: &str) -> Cow<'_, str> {
    match catalogue() {
        None => Cow::Borrowed(text),
        Some(catalogue) => Cow::Owned(translate::term(catalogue, text)),
    }
}

//! The language of the terminal: English, or Chinese by `--lang zh`, `LANEWORK_LANG=zh` or a Chinese locale.
//!
//! The English text in the code is the key: code and libraries say what they say in English and know nothing of
//! languages. What goes to the terminal passes [`say`], which looks for each line in the catalogue. JSON, SARIF,
//! pictures, PTX and other data go through [`crate::output::print_data`] and are never changed.
//!
//! **To add a text**: write it in English, print it with `output::print`, and add two lines to the file of its area in
//! `crates/terminal/words/zh/`: the English text with a `{hole}` for each value, and the Chinese one with the same holes
//!
//! ```text
//! no {kind} is called `{name}`
//! 没有名为 `{name}` 的{kind}
//! ```
//!
//! A text of several lines is one line in the catalogue, with a space for each line end. What a hole holds is
//! translated, too, unless it is in quotes or backticks. If a whole line is not in the catalogue, it is
//! split: into columns, sentences, then at `;`, `:`, `,` and parentheses, so that `padded: SOME
//! TEXT` needs `SOME TEXT` alone. `cargo test -p lanework-terminal words` lists what has no translation, as lines to fill in,
//! and entries that no source has any more.
//!
//! Why not one of the crates for this: fluent and rust-i18n replace texts by keys, which takes the sentences out of the
//! code that decides them, and gettext wants a call at each text; none can translate what a library returns as a
//! finished sentence, and fluent would add 20 crates to a build that has to stay short.

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

/// The catalogue, where the language is not English.
fn catalogue() -> Option<&'static Catalogue> {
    static CHINESE: OnceLock<Catalogue> = OnceLock::new();
    match CHOSEN.get() {
        Some(Language::Chinese) => Some(CHINESE.get_or_init(Catalogue::chinese)),
        _ => None,
    }
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

/// What clap printed, help or a usage error, in the language of the user.
pub fn of_clap(error: &clap::Error) -> String {
    let text = error.render().ansi().to_string();
    match catalogue() {
        None => text,
        Some(catalogue) if error.use_stderr() => help::finish(&translate::text(catalogue, &text)),
        Some(catalogue) => help::finish_help(catalogue, &text),
    }
}

/// A word or phrase that stands alone: a header, a label or a verdict. In [`say`], a line of one word may be the name
/// of something; here it is a word.
pub fn term(text: &str) -> Cow<'_, str> {
    match catalogue() {
        None => Cow::Borrowed(text),
        Some(catalogue) => Cow::Owned(translate::term(catalogue, text)),
    }
}

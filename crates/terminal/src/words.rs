//! The language of the terminal: English, or Chinese by `--lang zh`, `LANEWORK_LANG=zh` or a Chinese locale.
//!
//! The English text in the code is the key: code and libraries produce English and do not deal with languages. Terminal
//! output passes through [`say`], which looks up each line in the catalog. JSON, SARIF, pictures, PTX and other data
//! go through [`crate::output::print_data`] and are never changed.
//!
//! **To add a text**: write it in English, print it with `output::print`, and add two lines to the file of its area in
//! `crates/terminal/words/zh/`: the English text with a `{hole}` for each value, and the Chinese one with the same
//! holes
//!
//! ```text
//! no {kind} is called `{name}`
//! 没有名为 `{name}` 的{kind}
//! ```
//!
//! A text of several lines is one line in the catalog, with a space for each line end. The contents of a hole are
//! translated, too, unless they are in quotes or backticks, or the hole is named `entry`, `ladder` or `rung`. If a
//! whole line is not in the catalog, it is split: into columns, sentences, then at `;`, `:`, `,` and parentheses, so
//! that `padded: SOME TEXT` needs only `SOME TEXT`.
//! `cargo test -p lanework-terminal words` lists missing translations, as lines to fill in, and obsolete entries.
//!
//! Why no existing crate: fluent and rust-i18n replace texts by keys, which moves sentences away from the code that
//! chooses them, and gettext needs a call for each text. None can translate a finished sentence returned by a library,
//! and fluent would add 20 crates to a build that has to stay short.

mod catalog;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod english;
mod help;
#[cfg(test)]
mod literals;
mod spacing;
mod translate;

use catalog::Catalog;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
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

/// The catalog, if the language is not English.
fn catalog() -> Option<&'static Catalog> {
    are_chinese().then(chinese_catalog)
}

fn chinese_catalog() -> &'static Catalog {
    static CHINESE: OnceLock<Catalog> = OnceLock::new();
    CHINESE.get_or_init(Catalog::chinese)
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
    match catalog() {
        None => Cow::Borrowed(text),
        Some(catalog) => Cow::Owned(translate::text(catalog, text)),
    }
}

/// A text of any number of lines in Chinese, whatever the language of the user.
///
/// ```
/// assert_eq!(lanework_terminal::words::chinese("no barriers"), "不再有屏障");
/// ```
pub fn chinese(text: &str) -> String {
    translate::text(chinese_catalog(), text)
}

/// A standalone word or phrase in Chinese, as [`term`] gives it to a Chinese user.
///
/// ```
/// assert_eq!(lanework_terminal::words::chinese_term("barriers"), "屏障");
/// ```
pub fn chinese_term(text: &str) -> String {
    translate::term(chinese_catalog(), text)
}

/// A command of clap with the option `--lang`, its help in the language of the user.
pub fn command(command: clap::Command) -> clap::Command {
    help::command(command, catalog())
}

/// A text that becomes part of the help of a command.
pub fn help(text: &str) -> Cow<'_, str> {
    match catalog() {
        None => Cow::Borrowed(text),
        Some(catalog) => Cow::Owned(help::part(text, catalog)),
    }
}

/// clap's output (help or a usage error) in the user's language.
pub fn of_clap(error: &clap::Error) -> String {
    let text = error.render().ansi().to_string();
    match catalog() {
        None => text,
        Some(catalog) if error.use_stderr() => help::finish(&translate::text(catalog, &text)),
        Some(catalog) => help::finish_help(catalog, &text),
    }
}

/// A standalone word or phrase: a header, a label or a verdict. In [`say`], a line of one word may be a name; here it
/// is a word.
pub fn term(text: &str) -> Cow<'_, str> {
    match catalog() {
        None => Cow::Borrowed(text),
        Some(catalog) => Cow::Owned(translate::term(catalog, text)),
    }
}

/// A language of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Chinese, in simplified characters for every Chinese locale.
    Chinese,
}

impl Language {
    /// The language of a tag such as `zh`, `zh_CN.UTF-8` or `en-GB`; none for any other language.
    pub fn of_tag(tag: &str) -> Option<Language> {
        match tag.split(['_', '-', '.', '@']).next()?.to_ascii_lowercase().as_str() {
            "zh" | "chinese" => Some(Language::Chinese),
            "en" | "c" | "posix" | "english" => Some(Language::English),
            _ => None,
        }
    }

    /// The language of the locale, in the order of gettext: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set
    /// is the locale; in a locale other than `C`, the first supported language of `LANGUAGE`.
    fn of_locale(variable: &dyn Fn(&str) -> Option<String>) -> Language {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
        let Some(locale) = locale else { return Language::English };
        let plain = locale.split(['.', '@']).next().unwrap_or_default();
        if matches!(plain, "C" | "POSIX") {
            return Language::English;
        }
        let wanted = set("LANGUAGE").unwrap_or_default();
        let wanted = wanted.split(':').find_map(Language::of_tag);
        wanted.or_else(|| Language::of_tag(&locale)).unwrap_or(Language::English)
    }
}

/// The command line without the option `--lang`, and its value. An invalid value stays, so that the parser reports it;
/// arguments after `--` belong to a program.
pub fn without_option(line: Vec<OsString>) -> (Vec<OsString>, Option<Language>) {
    let (mut rest, mut language) = (Vec::new(), None);
    let mut arguments = line.into_iter().peekable();
    let exactly = |value: &OsStr| match value.to_str() {
        Some("en") => Some(Language::English),
        Some("zh") => Some(Language::Chinese),
        _ => None,
    };
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            rest.push(argument);
            rest.extend(arguments);
            break;
        }
        let joined = argument.to_str().and_then(|text| text.strip_prefix("--lang="));
        let given = match joined {
            Some(value) => exactly(OsStr::new(value)),
            None if argument == "--lang" => arguments.peek().and_then(|value| exactly(value)),
            None => None,
        };
        match given {
            Some(_) => {
                language = given;
                if argument == "--lang" {
                    arguments.next();
                }
            }
            None => rest.push(argument),
        }
    }
    (rest, language)
}

/// The language: from the option, else `LANEWORK_LANG`, else the locale.
///
/// # Errors
/// If `LANEWORK_LANG` is not a language of this program; the message quotes its value.
pub fn choose(
    option: Option<Language>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Language, String> {
    if let Some(language) = option {
        return Ok(language);
    }
    match variable("LANEWORK_LANG").filter(|value| !value.is_empty()) {
        Some(own) => Language::of_tag(&own).ok_or(own),
        None => Ok(Language::of_locale(variable)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Language, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        choose(None, &variable)
    }

    #[test]
    fn the_language_option_may_be_anywhere_before_a_program() {
        let of = |line: &str| {
            let (rest, language) = without_option(line.split(' ').map(OsString::from).collect());
            (rest.join(OsStr::new(" ")).into_string().expect("text"), language)
        };
        let zh = Some(Language::Chinese);
        assert_eq!(of("lanework --lang zh list"), ("lanework list".to_owned(), zh));
        assert_eq!(of("lanework list --lang=zh --json"), ("lanework list --json".to_owned(), zh));
        assert_eq!(of("lanework --lang en list --lang zh"), ("lanework list".to_owned(), zh));
        for kept in
            ["lanework list --lang fr", "lanework list --lang", "lanework exec -- p --lang zh"]
        {
            assert_eq!(of(kept), (kept.to_owned(), None));
        }
    }

    #[test]
    fn language_variables_have_the_priority_of_gettext() {
        use Language::{Chinese, English};
        for (variables, language) in [
            (&[][..], English),
            (&[("LANG", "zh_CN.UTF-8")], Chinese),
            (&[("LANG", "zh_TW")], Chinese),
            (&[("LANG", "de_DE.UTF-8")], English),
            (&[("LC_ALL", "en_US.UTF-8"), ("LANG", "zh_CN.UTF-8")], English),
            (&[("LC_ALL", ""), ("LC_MESSAGES", "zh_HK"), ("LANG", "en_US")], Chinese),
            (&[("LANGUAGE", "de:zh_CN:en"), ("LANG", "de_DE")], Chinese),
            (&[("LANGUAGE", "en:zh"), ("LANG", "zh_CN")], English),
            (&[("LANGUAGE", "zh"), ("LANG", "C.UTF-8")], English),
            (&[("LANGUAGE", "zh"), ("LC_ALL", "POSIX")], English),
            (&[("LANGUAGE", "zh")], English),
            (&[("LANEWORK_LANG", "zh"), ("LC_ALL", "C")], Chinese),
            (&[("LANEWORK_LANG", "en"), ("LC_ALL", "zh_CN.UTF-8")], English),
        ] {
            assert_eq!(of(variables), Ok(language), "{variables:?}");
        }
        assert_eq!(of(&[("LANEWORK_LANG", "fr")]), Err("fr".to_owned()));
        assert_eq!(choose(Some(Chinese), &|_| Some("en".to_owned())), Ok(Chinese));
    }
}

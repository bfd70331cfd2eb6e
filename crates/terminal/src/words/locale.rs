//! Chooses the language of the user.

use std::ffi::{OsStr, OsString};

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
    fn the_option_stands_anywhere_before_a_program() {
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
    fn the_order_of_variables_is_that_of_gettext() {
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

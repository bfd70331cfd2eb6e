//! clap's help and usage errors in the language of the user.
//!
//! A command's texts are translated before clap lays them out; clap's own texts ("Usage:", "[default: ...]") are
//! translated after that. clap breaks lines only at spaces and counts a Chinese character as one column. So a space is
//! inserted after each one, which makes two columns and allows a line break, and these spaces are removed from clap's
//! output.

use super::catalog::Catalog;
use super::spacing::{is_chinese, is_mark};
use super::translate;
use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command};
use lanework::report::layout::hanging;

/// The option of the language, of every command.
fn option() -> Arg {
    Arg::new("lang")
        .long("lang")
        .value_name("LANG")
        .help("Language of this terminal [default: LANEWORK_LANG, else the locale]")
        .value_parser(["en", "zh"])
        .global(true)
        .help_heading("Terminal")
}

/// The command with the option of the language, its texts translated if there is a catalog.
pub fn command(command: Command, catalog: Option<&Catalog>) -> Command {
    let command = command.arg(option());
    match catalog {
        Some(catalog) => translated(catalog, command),
        None => command,
    }
}

fn translated(catalog: &Catalog, command: Command) -> Command {
    let text = |text: Option<&StyledStr>| {
        text.map(|text| StyledStr::from(spread(&translate::text(catalog, &text.to_string()))))
            .map_or(Resettable::Reset, Resettable::Value)
    };
    let about = text(command.get_about());
    let long_about = text(command.get_long_about());
    let after = text(command.get_after_help());
    let command = command.about(about).long_about(long_about).after_help(after);
    let command = command.mut_args(|arg| {
        let help = text(arg.get_help());
        let long_help = text(arg.get_long_help());
        let heading = arg.get_help_heading().and_then(|heading| catalog.of_term(heading));
        let arg = arg.help(help).long_help(long_help);
        match heading {
            Some(heading) => arg.help_heading(heading),
            None => arg,
        }
    });
    command.mut_subcommands(|command| translated(catalog, command))
}

/// A text that becomes part of the help.
pub fn part(text: &str, catalog: &Catalog) -> String {
    spread(&translate::text(catalog, text))
}

/// clap's own texts.
const OWN: [(&str, &str); 12] = [
    ("Usage:", "用法："),
    ("Options:", "选项："),
    ("Arguments:", "参数："),
    ("Commands:", "命令："),
    ("[default:", "[默认："),
    ("[possible values:", "[可选："),
    ("Possible values:", "可选："),
    ("[aliases:", "[别名："),
    ("Print help (see more with '--help')", "显示帮助（--help 更详细）"),
    ("Print help (see a summary with '-h')", "显示帮助（-h 为摘要）"),
    ("Print help", "显示帮助"),
    ("Print version", "显示版本"),
];

/// Finishes help that clap has laid out from Chinese texts.
pub fn finish_help(catalog: &Catalog, text: &str) -> String {
    finish(&values(catalog, &gather(text)))
}

/// Columns of the help.
const WIDTH: usize = 100;

/// The help with its lists of `- value: meaning`, which can only be translated after clap's layout.
fn values(catalog: &Catalog, text: &str) -> String {
    let mut out = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let item = line.trim_start();
        let Some((name, what)) = item.split_once(": ").filter(|_| item.starts_with("- ")) else {
            out.push(line.to_owned());
            continue;
        };
        let mut what = what.trim().to_owned();
        let goes_on = |next: &&str| !next.trim().is_empty() && !next.trim().starts_with("- ");
        while let Some(next) = lines.next_if(goes_on) {
            what = format!("{what} {}", next.trim());
        }
        let label = format!("{}{name}：", &line[..line.len() - item.len()]);
        let said = translate::text(catalog, &what);
        out.extend(hanging(&label, &said, WIDTH).lines().map(str::to_owned));
    }
    out.join("\n") + if text.ends_with('\n') { "\n" } else { "" }
}

/// clap's output, with clap's own texts in Chinese.
pub fn finish(text: &str) -> String {
    let mut text = text.to_owned();
    for (own, chinese) in OWN {
        text = text.replace(own, chinese);
    }
    // Colons after Chinese words become full-width, without a space after them, also across escape codes.
    let mut out = String::new();
    for letter in text.chars() {
        let before = out.trim_end_matches("\u{1b}[0m").chars().next_back();
        match letter {
            ' ' if before == Some('：') => {}
            ':' if before.is_some_and(is_chinese) => out.push('：'),
            letter => out.push(letter),
        }
    }
    out
}

/// Wide characters, which a terminal shows in two columns.
fn is_wide(c: char) -> bool {
    is_chinese(c)
}

/// Whether a line may end after this character, with this one next.
fn may_end(c: char, next: Option<char>) -> bool {
    is_wide(c)
        && !matches!(c, '（' | '《' | '「' | '“')
        && !next.is_some_and(|next| {
            is_mark(next) && !matches!(next, '（' | '《' | '「')
                || matches!(next, '.' | ',' | ')' | ']')
        })
}

/// The text with as many spaces as wide characters, where a line may end.
fn spread(text: &str) -> String {
    let mut out = String::new();
    let mut owed = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        owed += usize::from(is_wide(letter));
        if may_end(letter, letters.peek().copied()) {
            out.extend(std::iter::repeat_n(' ', owed));
            owed = 0;
        }
    }
    out
}

/// The text of [`spread`] without these spaces.
fn gather(text: &str) -> String {
    let mut out = String::new();
    let mut owed = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        owed += usize::from(is_wide(letter));
        if may_end(letter, letters.peek().copied()) {
            while owed > 0 && letters.next_if_eq(&' ').is_some() {
                owed -= 1;
            }
            owed = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_are_put_in_are_taken_out() {
        for text in [
            "只写出 PTX，不运行。",
            "选择（`--only`）的种类 ，其余 不管",
            "plain text (see `--help`), with  columns   中文  x",
        ] {
            assert_eq!(gather(&spread(text)), text);
        }
        assert_eq!(spread("中文，好a"), "中 文，  好 a");
    }
}

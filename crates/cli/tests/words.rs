//! The language of the terminal: which one is chosen, and what stays the same in each.

use std::process::{Command, Output};

fn lanework(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    for name in ["LANEWORK_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    command.args(arguments).envs(variables.iter().copied()).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_language_is_that_of_the_option_the_variable_or_the_locale() {
    let chinese = |arguments: &[&str], variables: &[(&str, &str)]| {
        text(&lanework(arguments, variables).stdout).contains("用法：")
    };
    assert!(chinese(&["--lang", "zh", "--help"], &[]));
    assert!(chinese(&["climb", "--help", "--lang=zh"], &[]));
    assert!(chinese(&["run", "x.ptx", "--help"], &[("LANEWORK_LANG", "zh")]));
    assert!(chinese(&["--help"], &[("LANG", "zh_TW.UTF-8")]));
    assert!(chinese(&["--help"], &[("LANG", "de_DE.UTF-8"), ("LANGUAGE", "de:zh_CN")]));
    assert!(!chinese(&["--help"], &[]));
    assert!(!chinese(&["--lang", "en", "--help"], &[("LANEWORK_LANG", "zh")]));
    assert!(!chinese(&["--help"], &[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")]));
}

#[test]
fn an_unknown_language_is_refused() {
    let refused = lanework(&["list", "--lang", "fr"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("[possible values: en, zh]"));
    let refused = lanework(&["list"], &[("LANEWORK_LANG", "fr")]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("LANEWORK_LANG is `fr`"));
}

#[test]
fn json_and_exit_codes_are_the_same_in_both_languages() {
    for arguments in [
        &["list", "--json"][..],
        &["gpus", "--json"],
        &["climb", "nothing", "--json"],
        &["climb", "transpose", "--size", "x", "--json"],
        &["climb", "transpose", "--size", "64", "--seed", "7", "--device", "emulator", "--json"],
        &["check", "sum-squares/chunked", "--size", "1000", "--json"],
    ] {
        let [english, chinese] =
            ["en", "zh"].map(|language| lanework(arguments, &[("LANEWORK_LANG", language)]));
        assert_eq!(english.status.code(), chinese.status.code(), "{arguments:?}");
        // Times of the host differ from run to run.
        let untimed = |bytes: &[u8]| -> String {
            let lines = text(bytes);
            lines.lines().filter(|line| !line.contains("_ns\"")).collect()
        };
        assert_eq!(untimed(&english.stdout), untimed(&chinese.stdout), "{arguments:?}");
        assert!(!text(&chinese.stdout).contains("错误"), "{arguments:?}");
    }
}

#[test]
fn errors_are_chinese_with_the_names_as_they_are() {
    let refused = lanework(&["climb", "transpos"], &[("LANEWORK_LANG", "zh")]);
    assert_eq!(
        text(&refused.stderr),
        "错误：没有名为 `transpos` 的阶梯\n  = 建议：是不是 transpose？`lanework list` 列出全部\n"
    );
    let refused = lanework(&["climb", "transpose", "--siz", "3"], &[("LANEWORK_LANG", "zh")]);
    let said = text(&refused.stderr);
    assert!(said.starts_with("错误：没有参数 '--siz'\n"), "{said}");
    assert!(said.contains("提示：有相近的参数：'--size'"), "{said}");
}

#[test]
fn lines_of_help_fit_in_100_columns() {
    let wide = |c: char| usize::from(!c.is_ascii()) + 1;
    for command in ["climb", "conform", "fidelity", "exec", "check"] {
        let help = text(&lanework(&[command, "--help", "--lang", "zh"], &[]).stdout);
        for line in help.lines() {
            let columns: usize = line.chars().map(wide).sum();
            // A closing mark may stand beyond the edge.
            assert!(columns <= 102, "{columns} columns: {line}");
        }
    }
}

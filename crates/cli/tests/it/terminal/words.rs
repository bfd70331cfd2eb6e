//! The language of the terminal: which one is chosen, and what stays the same in each.

use std::process::{Command, Output};

#[path = "../../../../terminal/src/words/english.rs"]
mod english;

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
fn the_option_the_variable_or_the_locale_selects_the_language() {
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
fn errors_are_translated_except_names() {
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
    for command in ["climb", "exec", "check"] {
        let help = text(&lanework(&[command, "--help", "--lang", "zh"], &[]).stdout);
        for line in help.lines() {
            let columns: usize = line.chars().map(wide).sum();
            // A closing mark may exceed the width.
            assert!(columns <= 102, "{columns} columns: {line}");
        }
    }
}

/// The printed lines of a command, except help, that still contain English.
fn left(arguments: &[&str]) -> Vec<String> {
    let output = lanework(arguments, &[("LANEWORK_LANG", "zh")]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(!said.is_empty(), "{arguments:?} prints nothing");
    // Code, the output of kernels, and the titles of cited sources are not translated.
    let code = |line: &&str| {
        line.trim_start().starts_with("--> ")
            || line.contains(" | ")
            || line.trim_end().ends_with(';')
            || line.starts_with("Hello World from Thread")
            || line.contains("NVIDIA ")
    };
    let lines = said.lines().filter(|line| !code(line) && english::english_in(line));
    lines.map(|line| format!("{}\n    {line}", arguments.join(" "))).collect()
}

#[test]
fn every_help_is_chinese() {
    let listing = text(&lanework(&["--help"], &[]).stdout);
    let names = listing.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        (is_name && !name.starts_with('-')).then_some(name)
    });
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 20, "{names:?}");
    let mut wrong = left(&["--help"]);
    for name in names {
        wrong.extend(left(&[name, "--help"]));
    }
    for command in ["run", "check", "debug", "profile", "look", "inspect", "bench", "compare"] {
        wrong.extend(left(&[command, "k.ptx", "--help"]));
    }
    for command in ["look", "inspect"] {
        wrong.extend(left(&[command, "--help", "--", "program"]));
    }
    assert!(wrong.is_empty(), "{} lines are English\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "slow: runs every command twice"]
fn output_of_commands_is_translated() {
    let saxpy = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/saxpy.ptx");
    let kernel = |command| {
        let arguments =
            ["--grid", "1", "--block", "32", "--arg", "f32:2", "--arg", "uninit:f32:32"];
        let more = ["--arg", "zeros:f32:32", "--arg", "u32:33"];
        [&[command, saxpy][..], &arguments, &more].concat()
    };
    let mut all: Vec<Vec<&str>> =
        vec![kernel("run"), kernel("check"), kernel("profile"), kernel("look")];
    let lines = [
        "list",
        "devices",
        "gpus",
        "hello --blocks 1 --threads 1x1 --device emulator",
        "streams --size 2^10 --device emulator",
        "climb transpose --size 64 --device emulator",
        "climb sgemm --size 40 --device emulator",
        "climb sum-squares --size 1000 --type f32 --device emulator",
        "sweep transpose --size 64 --rungs naive,padded --device emulator",
        "check sum-squares/single-pass --size 1000",
        "profile transpose --rung unpadded --size 64",
        "look transpose/unpadded --size 64",
        "run transpose/padded --size 32 --device emulator",
        "bench transpose/naive --size 64 --device emulator",
        // Errors.
        "climb transpos",
        "climb transpose --rungs pad",
        "climb transpose --type f33",
        "climb transpose --size 0 --device emulator",
        "climb transpose --size x",
        "climb transpose --m 3 --device emulator",
        "climb --all --size 3",
        "climb transpose --time-limit 3 --device emulator",
        "climb transpose --device cuda:99",
        "run nothing.ptx",
        "run nothing.cu",
        "run thing",
        "check transpose --only nothing",
        "check transpose/padded --rungs naive",
        "look transpose/unpadded --size 64 --line 1",
        "profile transpose --gpu none",
        "inspect nothing.ptx",
        "exec -- /nothing/at/all",
        "new /dev/null",
        "sweep transpose --block 7,3,0",
        "gpus --file /nothing",
        "climb transpose --input /nothing.npy",
        "streams --size 2 --chunks 8 --device emulator",
        #[cfg(feature = "history")]
        "history --store /nothing/at/all",
        "climb transpose padded",
        "climb",
        "nothing",
        "climb transpose --columns nothing --size 32 --device emulator",
    ];
    all.extend(lines.iter().map(|line| line.split(' ').collect()));
    let wrong: Vec<String> = all.iter().flat_map(|arguments| left(arguments)).collect();
    assert!(wrong.is_empty(), "{} lines are English\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pictures_are_the_same_in_both_languages() {
    let folder = tempfile::tempdir().expect("a folder");
    let [english, chinese] = ["en", "zh"].map(|language| {
        let path = folder.path().join(language);
        let file = path.to_str().expect("text");
        let arguments = ["look", "transpose/unpadded", "--size", "64", "--svg", file];
        lanework(&arguments, &[("LANEWORK_LANG", language)]);
        std::fs::read_to_string(&path).expect("a picture")
    });
    assert_eq!(english, chinese);
}

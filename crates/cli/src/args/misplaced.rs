//! Command lines that ask one command for the work of another, or give a file that is no kernel.

use super::grammar::{first_positional, is_known, others};
use super::{Arguments, KernelArgs};
use clap::error::ErrorKind;
use clap::{Command, CommandFactory};
use lanework_terminal::failure::Failure;
use lanework_terminal::with_common_options;
use std::ffi::OsString;
use std::path::Path;

/// Commands that users look for among the options of `run`.
const TOOLS: [&str; 4] = ["check", "profile", "predict", "look"];

/// The failure of `run FILE --check` and the like.
pub fn tool_of_run(line: &[OsString]) -> Option<Failure> {
    let own = with_common_options(Arguments::command());
    let at = first_positional(line, 1, &[&own]).filter(|at| line[*at] == "run")?;
    let of_file = KernelArgs::command();
    let commands: Vec<&Command> =
        own.find_subcommand("run").into_iter().chain([&of_file]).collect();
    let words = line.iter().enumerate().skip(at + 1).take_while(|(_, word)| *word != "--");
    let (index, tool) = words.into_iter().find_map(|(index, word)| {
        let text = word.to_str()?;
        let tool = TOOLS.into_iter().find(|tool| text.strip_prefix("--") == Some(tool))?;
        (!is_known(text, &commands)).then_some((index, tool))
    })?;
    let rest = line.iter().enumerate().skip(at + 1).filter(|(other, _)| *other != index);
    let rest: Vec<String> = rest.map(|(_, word)| word.to_string_lossy().into_owned()).collect();
    Some(Failure::input(
        format_args!("--{tool} is a command, not an option of `lanework run`"),
        format_args!("lanework {tool} {}", rest.join(" ")),
    ))
}

/// The failure of a command on kernels whose first argument is another file or a folder.
pub fn not_a_kernel(error: &clap::Error, line: &[OsString]) -> Option<Failure> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let own = with_common_options(Arguments::command());
    let at = first_positional(line, 1, &[&own])?;
    let name = line[at].to_str().filter(|name| !others(name).is_empty())?;
    let commands: Vec<Command> = others(name);
    let known: Vec<&Command> =
        std::iter::once(&own).chain(own.find_subcommand(name)).chain(&commands).collect();
    let file = Path::new(&line[first_positional(line, at + 1, &known)?]);
    let what = match file.is_dir() {
        true => "is a folder",
        false if file.exists() => "is neither CUDA C++ nor PTX",
        false => return None,
    };
    Some(Failure::input(
        format_args!("{} {what}", file.display()),
        "give a .cu or .ptx file first, then the kernel's arguments",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn an_option_of_run_that_is_a_command_is_named() {
        let failure = tool_of_run(&line("lanework run k.cu --check --grid 4 x.npy"));
        let text = format!("{:?}", failure.expect("a failure"));
        assert!(text.contains("lanework check k.cu --grid 4 x.npy"), "{text}");
        for good in
            ["lanework check k.cu --check", "lanework run p.cu -- --check", "lanework run k.cu"]
        {
            assert!(tool_of_run(&line(good)).is_none(), "{good}");
        }
    }

    #[test]
    fn a_file_that_is_no_kernel_is_named() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path().display();
        std::fs::write(temporary.path().join("Cargo.toml"), "").expect("written");
        for (given, what) in [
            (format!("lanework check {folder} rand:1000"), "is a folder"),
            (format!("lanework profile {folder}/Cargo.toml 1 2"), "is neither CUDA C++ nor PTX"),
        ] {
            let error = Arguments::parse_line(&line(&given)).expect_err("unexpected arguments");
            let failure = not_a_kernel(&error, &line(&given)).expect("a failure");
            assert!(format!("{failure:?}").contains(what), "{given}: {failure:?}");
        }
        let given = line("lanework check transpose rand:1000");
        let error = Arguments::parse_line(&given).expect_err("an unexpected argument");
        assert!(not_a_kernel(&error, &given).is_none());
    }
}

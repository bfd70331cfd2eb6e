//! Parses the command line: chooses the parser for a rung, a file, or a program, groups the commands, and lists the
//! options for files in the help.
//!
//! `check`, `profile` and others take a rung, a `.ptx` or `.cu` file, or a program, each with different options. The
//! first positional argument decides. To find it, the options of all grammars are considered, so that the value of an
//! option, as in `--sarif found.ptx`, is not mistaken for it.

use super::{
    Arguments, BenchKernelArgs, CheckKernelArgs, CompareKernelArgs, DebugKernelArgs,
    DebugProgramArgs, InspectFileArgs, InspectProgramArgs, KernelArgs, LookKernelArgs,
    LookProgramArgs, PredictKernelArgs, ProfileKernelArgs, ReportKernelArgs,
};
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, FromArgMatches};
use lanework::report::layout::hanging;
use lanework_terminal::failure::Failure;
use lanework_terminal::{output, with_common_options, with_negative_values, words};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The operand of a command, which decides its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// A ladder or a rung, or nothing.
    Rung,
    /// A PTX or CUDA C++ file.
    File,
    /// A program after `--`.
    Program,
}

/// A command line, parsed as far as needed to choose its parser.
#[derive(Debug)]
pub struct CommandLine {
    /// The command's name; empty for a line without a command.
    pub command: String,
    /// Its operand.
    pub grammar: Grammar,
    /// The arguments, without the command's name and after the name of the program as help shows it: `lanework check`.
    pub arguments: Vec<OsString>,
}

/// The parsers of a command on files and on programs, in this order.
pub(super) fn others(command: &str) -> Vec<Command> {
    match command {
        "run" => vec![KernelArgs::command()],
        "check" => vec![CheckKernelArgs::command()],
        "profile" => vec![ProfileKernelArgs::command()],
        "predict" => vec![PredictKernelArgs::command()],
        "debug" => vec![DebugKernelArgs::command(), DebugProgramArgs::command()],
        "look" => vec![LookKernelArgs::command(), LookProgramArgs::command()],
        "inspect" => vec![InspectFileArgs::command(), InspectProgramArgs::command()],
        "bench" => vec![BenchKernelArgs::command()],
        "compare" => vec![CompareKernelArgs::command()],
        "report" => vec![ReportKernelArgs::command()],
        _ => Vec::new(),
    }
}

/// Splits a command line into its command, the kind of its operand, and its arguments.
pub fn grammar(line: &[OsString]) -> CommandLine {
    let own = with_common_options(Arguments::command());
    let start = 1.min(line.len());
    let at = first_positional(line, start, &[&own]);
    let Some(name) = at.map(|at| line[at].to_string_lossy().into_owned()) else {
        return CommandLine {
            command: String::new(),
            grammar: Grammar::Rung,
            arguments: line.to_vec(),
        };
    };
    let at = at.unwrap_or(start);
    let named = OsString::from(format!("lanework {name}"));
    let arguments = [&[named], &line[start..at], &line[at + 1..]].concat();
    let others = others(&name);
    let rung = own.find_subcommand(&name);
    let commands: Vec<&Command> = std::iter::once(&own).chain(rung).chain(&others).collect();
    let first = first_positional(line, at + 1, &commands).map(|first| line[first].as_os_str());
    let asks = line[at..].iter().any(|word| word == "--help" || word == "-h");
    let grammar = match first {
        _ if others.is_empty() => Grammar::Rung,
        // The help of a command starts with the user's own kernels.
        None if asks && !line.iter().any(|word| word == "--") => Grammar::File,
        Some(first) if is_file(first, &name) => Grammar::File,
        _ if others.len() > 1 && line.iter().any(|argument| argument == "--") => Grammar::Program,
        _ => Grammar::Rung,
    };
    CommandLine { command: name, grammar, arguments }
}

/// Whether the argument is a file of a kernel. `inspect` takes files of any name.
fn is_file(argument: &OsStr, command: &str) -> bool {
    let path = Path::new(argument);
    path.extension().is_some_and(|kind| kind == "ptx" || kind == "cu")
        || (command == "inspect" && path.is_file())
}

/// The index of the first argument from `start` on that is neither an option of the commands nor the value of one; none
/// if `--` comes first.
pub(super) fn first_positional(
    line: &[OsString],
    start: usize,
    commands: &[&Command],
) -> Option<usize> {
    let mut at = start;
    loop {
        let argument = line.get(at)?.to_string_lossy();
        match argument.as_ref() {
            "--" => return None,
            "-" => return Some(at),
            option if option.starts_with('-') => at += 1 + values(option, commands),
            _ => return Some(at),
        }
    }
}

/// The number of arguments after an option that are its values; 0 if the option is unknown.
fn values(option: &str, commands: &[&Command]) -> usize {
    let named = |known: &&clap::Arg| match option.strip_prefix("--") {
        Some(long) => {
            known.get_long() == Some(long)
                || known.get_all_aliases().is_some_and(|aliases| aliases.contains(&long))
        }
        None => known.get_short().is_some_and(|short| option == format!("-{short}")),
    };
    let known = commands.iter().find_map(|command| command.get_arguments().find(named));
    let takes = |known: &clap::Arg| match known.get_num_args() {
        Some(range) => range.min_values(),
        None => usize::from(known.get_action().takes_values()),
    };
    known.map_or(0, takes)
}

/// The commands that take the sources of a program, as commands on a program.
#[cfg(all(unix, feature = "host"))]
const ON_SOURCES: [(&str, &[&str]); 7] = [
    ("run", &["exec", "--plain"]),
    ("check", &["exec", "--check"]),
    ("profile", &["exec", "--profile"]),
    ("predict", &["exec", "--predict"]),
    ("look", &["look"]),
    ("debug", &["debug"]),
    ("report", &["exec"]),
];

/// `check FILES -- ARGUMENTS` as `exec --check -- FILES [--] ARGUMENTS`, and the like for other commands, if the files are
/// the sources of a program and no option or argument is one of a kernel. Several files keep the separator.
#[cfg(all(unix, feature = "host"))]
pub fn as_program(
    mut line: Vec<OsString>,
    are_sources: impl Fn(&[OsString]) -> bool,
) -> Vec<OsString> {
    let own = with_common_options(Arguments::command());
    let Some(at) = first_positional(&line, 1, &[&own]) else { return line };
    let Some((name, becomes)) = ON_SOURCES.iter().find(|(name, _)| line[at] == *name) else {
        return line;
    };
    let of_program = match *name {
        "look" => LookProgramArgs::command(),
        "debug" => DebugProgramArgs::command(),
        // The page is the option `--report` of `exec`.
        "report" => own
            .find_subcommand("exec")
            .cloned()
            .unwrap_or_default()
            .mut_arg("report", |page| page.long("output").short('o')),
        _ => own.find_subcommand("exec").cloned().unwrap_or_default(),
    };
    let commands = [&own, &of_program];
    let end = line.iter().skip(at).position(|word| word == "--").map_or(line.len(), |end| at + end);
    let (mut options, mut files) = (Vec::new(), Vec::new());
    let mut word = at + 1;
    while word < end {
        let text = line[word].to_string_lossy();
        if !text.starts_with('-') {
            files.push(line[word].clone());
            word += 1;
            continue;
        }
        if !is_known(&text, &commands) {
            return line;
        }
        let next = end.min(word + 1 + values(&text, &commands));
        options.extend_from_slice(&line[word..next]);
        word = next;
    }
    if files.is_empty() || !are_sources(&files) {
        return line;
    }
    if *name == "report" {
        options = with_page(&options);
    }
    let arguments: Vec<OsString> = line.drain(at..).skip(end + 1 - at).collect();
    line.extend(becomes.iter().map(OsString::from));
    line.extend(options);
    line.push(OsString::from("--"));
    let several = files.len() > 1;
    line.extend(files);
    line.extend(several.then(|| OsString::from("--")));
    line.extend(arguments);
    line
}

/// Turns the options of `report` on a program into options of `exec`.
#[cfg(all(unix, feature = "host"))]
fn with_page(options: &[OsString]) -> Vec<OsString> {
    let (mut found, mut has_page) = (Vec::new(), false);
    for option in options {
        let text = option.to_string_lossy();
        let of_page = ["--output=", "--output", "-o=", "-o"].iter().find_map(|name| {
            let rest = text.strip_prefix(name)?;
            (name.ends_with('=') || *name == "-o" || rest.is_empty()).then_some(rest)
        });
        match of_page {
            Some("") => found.push("--report".into()),
            Some(file) => found.push(format!("--report={file}").into()),
            None => found.push(option.clone()),
        }
        has_page |= of_page.is_some();
    }
    if !has_page {
        found.push(format!("--report={PAGE}").into());
    }
    found
}

/// Whether the commands have an option, given as `--name`, `--name=value`, `-N` or `-Nvalue`; false for a request for help.
pub(super) fn is_known(option: &str, commands: &[&Command]) -> bool {
    let long = option.strip_prefix("--").map(|long| long.split('=').next().unwrap_or(long));
    let named = |known: &clap::Arg| {
        long.is_some_and(|long| known.get_long() == Some(long))
            || known
                .get_short()
                .is_some_and(|short| long.is_none() && option[1..].starts_with(short))
    };
    !matches!(option, "-h" | "--help")
        && commands.iter().flat_map(|command| command.get_arguments()).any(named)
}

/// A command line of `exec` with `--` before its program, if it has none.
pub fn with_separator(mut line: Vec<OsString>) -> Vec<OsString> {
    let own = with_common_options(Arguments::command());
    let Some(exec) = first_positional(&line, 1, &[&own]).filter(|at| line[*at] == "exec") else {
        return line;
    };
    let commands: Vec<&Command> =
        std::iter::once(&own).chain(own.find_subcommand("exec")).collect();
    if let Some(program) = first_positional(&line, exec + 1, &commands) {
        line.insert(program, OsString::from("--"));
    }
    line
}

/// The default file of a report.
#[cfg(any(feature = "report", all(unix, feature = "host")))]
pub const PAGE: &str = "lanework-report.html";

/// The commands in groups, as `lanework --help` lists them.
const GROUPS: [(&str, &[&str]); 3] = [
    (
        "Your own kernels: PTX or CUDA C++ files, or programs",
        &[
            "run", "check", "profile", "predict", "look", "debug", "inspect", "exec", "judge",
            "explain", "mcp", "new",
        ],
    ),
    (
        "Ladders: kernels from the simplest to the fastest",
        &[
            "exercise", "list", "climb", "sweep", "bench", "compare", "roofline", "tune",
            "history", "report",
        ],
    ),
    ("Devices", &["devices", "doctor", "gpus", "hello", "streams"]),
];

impl Arguments {
    /// The command line with its commands listed in groups.
    pub fn grouped() -> clap::Command {
        let command = with_common_options(Self::command());
        let mut listing = String::new();
        for (heading, names) in GROUPS {
            let heading = words::help(&format!("{heading}:")).into_owned();
            listing.push_str(&hanging("", &heading, output::of_help()));
            for name in names {
                let about = command.find_subcommand(name).and_then(clap::Command::get_about);
                let about = about.map(ToString::to_string).unwrap_or_default();
                listing.push_str(&hanging(&format!("  {name:<13}"), &about, output::of_help()));
            }
            listing.push('\n');
        }
        let command = command.mut_subcommands(|command| match others(command.get_name()).first() {
            Some(of_file) => with_file_options(command, of_file),
            None => command,
        });
        command.help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listing}Options:\n{{options}}{{after-help}}"
        ))
    }

    /// Parses a command line.
    ///
    /// # Errors
    /// If it is invalid, or asks for help.
    pub fn parse_line(line: &[OsString]) -> Result<Arguments, clap::Error> {
        let matches = with_negative_values(Self::grouped()).try_get_matches_from(line)?;
        output::apply(&matches);
        Self::from_arg_matches(&matches)
    }
}

/// Commands of `lanework-lab` that used to be commands of `lanework`.
const MOVED: [&str; 5] = ["book", "conform", "coverage", "experiments", "fidelity"];

/// The failure of a command line that names a command of `lanework-lab`.
pub fn moved(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    MOVED.contains(&name.as_str()).then(|| {
        Failure::input(
            format_args!("`{name}` moved to lanework-lab"),
            format_args!("cargo run --release -p lanework-lab-cli -- {name}"),
        )
    })
}

/// The command on rungs, with the options of the same command on a file listed after its examples.
fn with_file_options(rungs: clap::Command, of_file: &clap::Command) -> clap::Command {
    let mut options = Vec::new();
    for option in of_file.get_arguments().filter(|option| !option.is_hide_set()) {
        let Some(name) = option.get_long() else { continue };
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        let value = value.and_then(|names| names.first()).map(|name| format!("\u{a0}<{name}>"));
        options.push(format!("--{name}{}", value.unwrap_or_default()));
    }
    let listing = hanging("  ", &options.join(" "), output::of_help());
    let examples = rungs.get_after_help().map(ToString::to_string).unwrap_or_default();
    let note = format!(
        "The options above are those of a rung. `{} kernel.ptx --help` describes those of a file:",
        of_file.get_name()
    );
    rungs.after_help(format!("{examples}\n\n{}\n{}", words::help(&note), listing.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_first_positional_argument_chooses_the_options() {
        for (given, grammar) in [
            ("lanework check k.ptx --grid 4", Grammar::File),
            ("lanework check --grid 4 --arg f32:2 --json k.cu", Grammar::File),
            ("lanework --color never check k.ptx", Grammar::File),
            ("lanework check --color=always k.ptx", Grammar::File),
            ("lanework run --fidelity k.ptx library.ptx", Grammar::File),
            ("lanework run k.ptx --arg -1", Grammar::File),
            ("lanework check transpose/naive --size 64 --sarif found.ptx", Grammar::Rung),
            ("lanework check --sarif found.ptx transpose/naive", Grammar::Rung),
            ("lanework check --sarif=found.ptx transpose", Grammar::Rung),
            ("lanework run --output b.ptx transpose/padded", Grammar::Rung),
            ("lanework profile --rung naive transpose", Grammar::Rung),
            ("lanework check transpose --no-such-option found.ptx", Grammar::Rung),
            ("lanework compare a.ptx b.ptx", Grammar::File),
            ("lanework compare --revision a.ptx b.ptx", Grammar::Rung),
            ("lanework look --kernel saxpy -- ./program k.ptx", Grammar::Program),
            ("lanework debug --launch 2 -- ./program k.ptx", Grammar::Program),
            ("lanework debug --launch 2 transpose/naive", Grammar::Rung),
            ("lanework inspect -- ./program k.ptx", Grammar::Program),
            ("lanework inspect k.ptx", Grammar::File),
            ("lanework inspect Cargo.toml", Grammar::File),
            ("lanework inspect transpose", Grammar::Rung),
            ("lanework check --help", Grammar::File),
            ("lanework check -h --json", Grammar::File),
            ("lanework check transpose --help", Grammar::Rung),
            ("lanework climb --help", Grammar::Rung),
            ("lanework check k.cu 2.0 x.npy y=zeros:8", Grammar::File),
            ("lanework climb k.ptx", Grammar::Rung),
            ("lanework report k.cu -o page.html 1", Grammar::File),
            ("lanework report transpose -o k.cu", Grammar::Rung),
            ("lanework report --from k.ptx", Grammar::Rung),
            ("lanework exec -- ./program k.ptx", Grammar::Rung),
            ("lanework --help", Grammar::Rung),
            ("lanework", Grammar::Rung),
        ] {
            assert_eq!(super::grammar(&line(given)).grammar, grammar, "{given}");
        }
    }

    #[test]
    fn an_option_takes_the_same_values_in_every_grammar_of_a_command() {
        let own = with_common_options(Arguments::command());
        for rung in own.get_subcommands() {
            let others = others(rung.get_name());
            let mut known = std::collections::HashMap::new();
            for command in std::iter::once(rung).chain(&others) {
                for option in command.get_opts() {
                    let Some(long) = option.get_long() else { continue };
                    let takes = values(&format!("--{long}"), &[command]);
                    let before = *known.entry(long.to_owned()).or_insert(takes);
                    assert_eq!(before, takes, "{} --{long}", rung.get_name());
                }
            }
        }
    }

    #[cfg(all(unix, feature = "host"))]
    #[test]
    fn a_program_s_source_is_run_as_a_program() {
        for (given, taken) in [
            ("lanework run p.cu", "lanework exec --plain -- p.cu"),
            ("lanework run p.cu -- 1 -- 2", "lanework exec --plain -- p.cu 1 -- 2"),
            ("lanework --color never run p.cu", "lanework --color never exec --plain -- p.cu"),
            ("lanework run q.cpp p.cu", "lanework exec --plain -- q.cpp p.cu --"),
            ("lanework run p.cu q.cu -- 1", "lanework exec --plain -- p.cu q.cu -- 1"),
            ("lanework run p.cu --grid 1", "lanework run p.cu --grid 1"),
            ("lanework run k.ptx", "lanework run k.ptx"),
            ("lanework check p.cu", "lanework exec --check -- p.cu"),
            ("lanework check p.cu -- 1", "lanework exec --check -- p.cu 1"),
            ("lanework debug --script a p.cu -- 1", "lanework debug --script a -- p.cu 1"),
            (
                "lanework check --sarif s.json p.cu --leaks -- 1",
                "lanework exec --check --sarif s.json --leaks -- p.cu 1",
            ),
            ("lanework check p.cu zeros:8 1", "lanework check p.cu zeros:8 1"),
            ("lanework check p.cu --block 32", "lanework check p.cu --block 32"),
            ("lanework check --help p.cu", "lanework check --help p.cu"),
            ("lanework profile p.cu --json", "lanework exec --profile --json -- p.cu"),
            ("lanework predict p.cu --gpu=a100", "lanework exec --predict --gpu=a100 -- p.cu"),
            ("lanework report p.cu", "lanework exec --report=lanework-report.html -- p.cu"),
            (
                "lanework report -o x.html p.cu --gpu a100 -- 1",
                "lanework exec --report x.html --gpu a100 -- p.cu 1",
            ),
            ("lanework report p.cu --output=x.html", "lanework exec --report=x.html -- p.cu"),
            ("lanework report p.cu zeros:8", "lanework report p.cu zeros:8"),
            ("lanework look p.cu --warp 1", "lanework look --warp 1 -- p.cu"),
        ] {
            let line = as_program(self::line(given), |files| {
                let named = |file: &OsString| file.to_string_lossy().contains(".c");
                files.iter().all(named) && files.contains(&OsString::from("p.cu"))
            });
            assert_eq!(line, self::line(taken), "{given}");
        }
    }

    fn separated(line: &str) -> String {
        let words: Vec<String> = with_separator(self::line(line))
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        words.join(" ")
    }

    #[test]
    fn the_program_of_exec_needs_no_separator() {
        for (given, taken) in [
            ("lanework exec ./prog --lang zh", "lanework exec -- ./prog --lang zh"),
            (
                "lanework --lang zh exec --gpus 2 ./prog",
                "lanework --lang zh exec --gpus 2 -- ./prog",
            ),
            (
                "lanework exec --trace t.json --json ./prog a",
                "lanework exec --trace t.json --json -- ./prog a",
            ),
            ("lanework exec --sarif=f ./prog -- a", "lanework exec --sarif=f -- ./prog -- a"),
            ("lanework exec --profile -- ./prog exec", "lanework exec --profile -- ./prog exec"),
            ("lanework exec --help", "lanework exec --help"),
            ("lanework run exec", "lanework run exec"),
        ] {
            assert_eq!(separated(given), taken);
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        let command = Arguments::grouped();
        let others = command.get_subcommands().flat_map(|command| others(command.get_name()));
        let others: Vec<clap::Command> = others.collect();
        assert!(others.len() > 7);
        command.debug_assert();
        others.into_iter().for_each(clap::Command::debug_assert);
    }

    #[test]
    fn every_command_is_in_one_group_and_has_an_example() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Arguments::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(grouped, names, "the groups list the commands in the order of the enum");
        let of_files = names.iter().filter_map(|name| others(name).into_iter().next());
        let of_files: Vec<clap::Command> = of_files.collect();
        for command in command.get_subcommands().chain(&of_files) {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(examples.contains("Example"), "{} has no example", command.get_name());
        }
    }
}

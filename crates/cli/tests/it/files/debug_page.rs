//! The walks of the debugger's page, `docs/src/LANGUAGE/debug.md`: each command has the reply that the page shows.

use std::path::Path;
use std::process::Command;

/// A section with a source, a command line, and the debugger's commands with their replies.
#[derive(Default)]
struct Walk {
    source: String,
    line: String,
    transcript: String,
}

/// The walks of a page.
fn walks(language: &str) -> Vec<Walk> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let page = std::fs::read_to_string(docs.join(language).join("debug.md")).expect("a page");
    let mut walks = Vec::new();
    for section in page.split("\n## ") {
        let mut walk = Walk::default();
        for (index, block) in section.split("```").enumerate() {
            // Every other part is a block, which begins with its language.
            let (kind, text) = block.split_once('\n').unwrap_or((block, ""));
            match (index % 2, kind) {
                (1, "c++") if text.starts_with("1  ") => {
                    let code = |line: &str| line.get(3..).unwrap_or_default().to_owned();
                    let lines: Vec<String> = text.lines().map(code).collect();
                    walk.source = lines.join("\n") + "\n";
                }
                (1, "text") if text.starts_with("lanework debug ") && walk.line.is_empty() => {
                    walk.line = text.trim().to_owned();
                }
                (1, "text") if text.starts_with("> ") => walk.transcript.push_str(text),
                _ => {}
            }
        }
        if !walk.source.is_empty() && !walk.line.is_empty() {
            walks.push(walk);
        }
    }
    walks
}

#[test]
fn the_walks_of_the_page_have_the_replies_that_it_shows() {
    for language in ["en", "zh"] {
        let walks = walks(language);
        assert_eq!(walks.len(), 3, "{language}: a race, a wrong index, a missing wait");
        for Walk { source, line, transcript } in walks {
            let folder = tempfile::tempdir().expect("a folder");
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            std::fs::write(folder.path().join(words[1]), source).expect("a file");
            let commands: Vec<&str> =
                transcript.lines().filter_map(|line| line.strip_prefix("> ")).collect();
            std::fs::write(folder.path().join("script.txt"), commands.join("\n")).expect("a file");
            let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
            command.args(words).args(["--script", "script.txt"]).current_dir(folder.path());
            let output = command.env("LANEWORK_LANG", "en").output().expect("it starts");
            let shown = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(0), "{line}\n{output:?}");
            let replies = shown.find("\n> ").map_or("", |at| &shown[at + 1..]);
            assert_eq!(replies, transcript, "{language}: {line}");
        }
    }
}

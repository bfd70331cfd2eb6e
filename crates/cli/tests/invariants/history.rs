//! The form of commits.

use super::crates;
use std::process::Command;

/// The last commit before this rule.
const BEFORE: &str = "e0ea2f7b710883c4926b14b2e38a69cdc59dd84b";

/// The most characters of a commit's subject.
const SUBJECT: usize = 72;

/// The output of a `git` command in the repository; none if it fails or there is no `git`.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(crates()).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

#[test]
fn subjects_of_commits_are_short() {
    let range = format!("{BEFORE}..HEAD");
    let Some(log) = git(&["log", "--format=%h %s", &range]) else {
        return lanework_testing::skip("subjects of commits", "no git history since the rule");
    };
    let subjects = log.lines().filter_map(|line| line.split_once(' '));
    let long: Vec<_> = subjects.filter(|(_, text)| text.chars().count() > SUBJECT).collect();
    assert!(long.is_empty(), "subjects over {SUBJECT} characters: {long:#?}");
}

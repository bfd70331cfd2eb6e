//! The documentation is the same in both languages: the same pages in the same navigation, the same pictures in the same
//! places, the same exercises with the same solutions; and every picture is there and is shown.

use crate::{crates, files};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(language: &str) -> PathBuf {
    crates().join("../docs/src").join(language)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files of a language with this ending, by their paths below its folder.
fn found(language: &str, ending: &str) -> BTreeSet<String> {
    let root = sources(language);
    let wanted = |path: &Path| path.extension().is_some_and(|e| e == ending);
    let below = |path: PathBuf| path.strip_prefix(&root).map(|p| p.to_string_lossy().into_owned());
    files(&root, &wanted).into_iter().filter_map(|path| below(path).ok()).collect()
}

/// Every text between `open` and `close`.
fn between<'a>(text: &'a str, open: &'a str, close: &'a str) -> Vec<&'a str> {
    text.split(open).skip(1).filter_map(|rest| rest.split(close).next()).collect()
}

/// The entries of a navigation: how deep, and where to; a heading is an entry without a target.
fn navigation(language: &str) -> Vec<(usize, String)> {
    let entry = |line: &str| {
        let depth = line.len() - line.trim_start().len();
        let target = between(line, "](", ")").first().map(ToString::to_string);
        (line.contains("](") || line.starts_with("# ")).then(|| (depth, target.unwrap_or_default()))
    };
    read(&sources(language).join("SUMMARY.md")).lines().filter_map(entry).collect()
}

/// The pictures of a page, in order, by their files' names.
fn pictures(page: &str) -> Vec<String> {
    let images = page.lines().filter(|line| line.starts_with("!["));
    let targets = images.filter_map(|line| between(line, "](", ")").first().copied());
    targets.filter_map(|target| Some(target.rsplit('/').next()?.to_owned())).collect()
}

#[test]
fn both_languages_have_one_navigation_and_every_page_is_in_it() {
    assert_eq!(navigation("en"), navigation("zh"));
    let listed: BTreeSet<String> = navigation("en")
        .into_iter()
        .map(|(_, page)| page)
        .filter(|page| !page.is_empty())
        .collect();
    for language in ["en", "zh"] {
        let mut pages = found(language, "md");
        pages.remove("SUMMARY.md");
        assert_eq!(pages, listed, "{language}");
        let book = read(&crates().join("../docs").join(language).join("book.toml"));
        for line in [format!("language = \"{language}\""), format!("src = \"../src/{language}\"")] {
            assert!(book.contains(&line), "docs/{language}/book.toml lacks {line}");
        }
    }
}

#[test]
fn both_languages_show_the_same_pictures_and_each_is_drawn_and_described() {
    let mut shown = BTreeSet::new();
    for page in found("en", "md") {
        let [english, chinese] = ["en", "zh"].map(|language| read(&sources(language).join(&page)));
        assert_eq!(pictures(&english), pictures(&chinese), "{page}");
        for text in [&english, &chinese] {
            assert!(!text.contains("![]("), "{page}: a picture is not described");
        }
        shown.extend(pictures(&english).into_iter().map(|name| format!("pictures/{name}")));
    }
    assert!(shown.len() >= 12, "{shown:?}");
    for language in ["en", "zh"] {
        assert_eq!(found(language, "svg"), shown, "{language}: drawn, and shown");
    }
}

/// A title, a question, and a solution with a program.
#[test]
fn both_languages_have_the_same_exercises_each_with_a_solution_that_runs() {
    let mut count = 0;
    for page in found("en", "md") {
        let solutions = ["en", "zh"].map(|language| {
            let text = read(&sources(language).join(&page));
            let solutions = between(&text, "<details>", "</details>");
            solutions
                .iter()
                .map(|solution| between(solution, "```rust\n", "\n```").join("\n"))
                .collect::<Vec<_>>()
        });
        assert_eq!(solutions[0], solutions[1], "{page}");
        for solution in &solutions[0] {
            assert!(solution.contains("assert"), "{page}: a solution that checks nothing");
        }
        count += solutions[0].len();
        // The pages whose programs are tests are those that `lib.rs` lists.
        if !solutions[0].is_empty() {
            let guide = read(&crates().join("runtime/lanework/src/lib.rs"));
            assert!(
                guide.contains(&format!("\"{page}\"")),
                "{page} is not in runtime/lanework/src/lib.rs"
            );
        }
    }
    assert!(count >= 12, "{count} exercises");
    let ladders = [
        "vector-add",
        "sum-squares",
        "scan",
        "softmax",
        "layer-norm",
        "rms-norm",
        "transpose",
        "matvec",
        "matmul",
        "sgemm",
        "int-matmul",
        "hgemm",
        "tf32",
        "fp8",
        "dgemm",
        "attention",
    ];
    for page in ladders.map(|ladder| format!("{ladder}.md")) {
        assert!(read(&sources("en").join(&page)).contains("<details>"), "{page} has no exercise");
    }
}

/// The texts of a picture are in Chinese on Chinese pages, and in English on English ones.
#[test]
fn pictures_are_in_their_pages_language() {
    let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for name in found("en", "svg") {
        let [english, translated] =
            ["en", "zh"].map(|language| read(&sources(language).join(&name)));
        assert!(!chinese(&english) && chinese(&translated), "{name}");
        assert_eq!(english.matches("<rect").count(), translated.matches("<rect").count(), "{name}");
    }
}

//! The documentation says what the kernels say: its generated pages are those of this tree.

use std::path::Path;
use std::process::Command;

#[test]
fn the_generated_pages_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_lanework"))
        .args(["book", "--check"])
        .current_dir(&root)
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_page_is_in_the_summary() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let summary = std::fs::read_to_string(sources.join("SUMMARY.md")).expect("a summary");
    for language in ["en", "zh"] {
        let folders = [language.to_owned(), format!("{language}/writing")];
        for folder in folders {
            let pages = std::fs::read_dir(sources.join(&folder)).expect("pages");
            let pages =
                pages.map(|page| page.expect("a page").path()).filter(|page| page.is_file());
            for page in pages {
                let name = page.file_name().expect("a name").to_string_lossy().into_owned();
                let link = format!("({folder}/{name})");
                assert!(summary.contains(&link), "{link} is not in SUMMARY.md");
            }
        }
    }
}

//! The generated pages of the documentation are up to date with the kernels.

use lanework_testing::skip;
use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "slow: makes every generated page again"]
fn the_generated_pages_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let output = Command::new(env!("CARGO_BIN_EXE_lanework-lab"))
        .args(["book", "--check"])
        .current_dir(&root)
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Builds the site as `scripts/book.sh` does, and checks the files that a browser gets.
#[test]
fn every_page_of_the_site_leads_to_the_same_page_in_the_other_language() {
    if Command::new("mdbook").arg("--version").output().is_err() {
        skip("the links between languages", "mdbook was not found: cargo install mdbook");
        return;
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    let built = tempfile::tempdir().expect("a folder");
    for language in ["en", "zh"] {
        let output = Command::new("mdbook")
            .arg("build")
            .arg(docs.join(language))
            .arg("--dest-dir")
            .arg(built.path().join(language))
            .output()
            .expect("mdbook runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !said.contains("WARN"), "{said}");
    }
    let mut folders = vec![std::path::PathBuf::new()];
    let mut pages = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(built.path().join("en").join(&folder)).expect("a folder") {
            let name = folder.join(entry.expect("an entry").file_name());
            let english = built.path().join("en").join(&name);
            if english.is_dir() {
                folders.push(name);
                continue;
            }
            // `toc.html` is only the navigation.
            if name.extension().is_none_or(|e| e != "html") || name.ends_with("toc.html") {
                continue;
            }
            pages += 1;
            let read = |path| std::fs::read_to_string(path).unwrap_or_default();
            let texts = [read(english), read(built.path().join("zh").join(&name))];
            for (text, language) in texts.into_iter().zip(["en", "zh"]) {
                let switch = text.contains("id=\"language\"")
                    && text.contains(&format!("\"{language}\" === \"zh\""));
                assert!(
                    switch,
                    "{language}/{} does not lead to the other language",
                    name.display()
                );
            }
        }
    }
    assert!(pages > 25, "{pages} pages");
}

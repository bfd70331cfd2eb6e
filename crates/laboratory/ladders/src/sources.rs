//! The text of this crate's files, so that line listings of kernels need no source checkout.

/// The files of `src/`, by their paths in it.
const FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The text of a file of this crate; `file` is its path as given by the compiler and by the line information of the
/// kernels.
pub fn source_text(file: &str) -> Option<&'static str> {
    let folder = file!().strip_suffix("sources.rs")?;
    let name = file.strip_prefix(folder)?.replace('\\', "/");
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_paths_that_the_compiler_gives_them() {
        assert_eq!(source_text(file!()), Some(include_str!("sources.rs")));
        let rung = file!().replace("sources.rs", "transpose/naive.rs");
        assert_eq!(source_text(&rung), Some(include_str!("transpose/naive.rs")));
        assert_eq!(source_text("transpose/naive.rs"), None);
        assert_eq!(source_text("no/such/file.rs"), None);
    }
}

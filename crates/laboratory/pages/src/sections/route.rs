//! URL fragments of the pages within the file.

/// Converts a name to a part of a fragment: letters, digits and dashes.
pub fn slug(name: &str) -> String {
    let of = |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
    name.chars().map(of).collect()
}

/// The page of a ladder.
pub fn ladder(name: &str) -> String {
    format!("ladder/{}", slug(name))
}

/// The page of a kernel.
pub fn kernel(ladder: &str, name: &str) -> String {
    match ladder {
        "" => format!("kernel/{}", slug(name)),
        ladder => format!("kernel/{}/{}", slug(ladder), slug(name)),
    }
}

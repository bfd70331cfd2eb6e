//! Test sources as the docs show them.

/// The text of the kernel `name`, with its comment and attribute, from the first of the sources that has it.
pub fn kernel(sources: &[&str], name: &str) -> String {
    let found = sources.iter().find_map(|source| {
        let heads = [format!("\npub fn {name}("), format!("\npub fn {name}<")];
        let at = heads.iter().find_map(|head| source.find(head.as_str()))?;
        let start = source[..at].rfind("\n\n")? + 2;
        let end = at + source[at..].find("\n}\n")? + 2;
        Some(source[start..end].replace("pub fn ", "fn "))
    });
    found.unwrap_or_else(|| panic!("no kernel `{name}`"))
}

//! The entries of a module by their names in C++.

use crate::{Error, PtxModule, Result};

impl PtxModule {
    /// The entry of this name, mangled or in C++, or the only one.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry _ZN3ops5saxpyEPf() { ret; }
    ///     .visible .entry plain() { ret; }";
    /// let module = Device::emulator().load_ptx(text)?;
    /// assert_eq!(module.find_entry(Some("plain"))?, "plain");
    /// assert_eq!(module.find_entry(Some("saxpy"))?, "_ZN3ops5saxpyEPf");
    /// assert_eq!(module.find_entry(Some("ops::saxpy"))?, "_ZN3ops5saxpyEPf");
    /// assert!(module.find_entry(None).is_err() && module.find_entry(Some("axpy")).is_err());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Request`] when there is none, or the name is ambiguous.
    pub fn find_entry(&self, name: Option<&str>) -> Result<String> {
        let entries: Vec<&str> = self.module().entries().map(|entry| entry.name.as_str()).collect();
        let list = entries.join(", ");
        // `_Z5saxpyfPKfPfi` is `saxpy` in C++; overloads and template instances share a name.
        let called = |entry: &&str| {
            let path = cpp_path(entry);
            let short = path.rsplit("::").next().unwrap_or_default();
            name.is_some_and(|name| !path.is_empty() && (name == path || name == short))
        };
        let in_cpp: Vec<&str> = entries.iter().copied().filter(called).collect();
        let refuse = |why: String, help: String| Err(Error::Request { why, help });
        match (name, entries.as_slice()) {
            (Some(name), _) if entries.contains(&name) => Ok(name.to_owned()),
            (Some(_), _) if in_cpp.len() == 1 => Ok(in_cpp[0].to_owned()),
            (None, [only]) => Ok((*only).to_owned()),
            (_, []) => {
                refuse("the module has no entry".to_owned(), "declare one with `.entry`".to_owned())
            }
            (Some(name), _) => {
                refuse(format!("no entry is called `{name}`"), format!("there are: {list}"))
            }
            (None, _) => refuse(
                "the module has several entries".to_owned(),
                format!("name one as the entry: {list}"),
            ),
        }
    }
}

/// The name in C++ of a mangled entry, with its namespaces and without types: `_ZN3ops5saxpyEPf` is
/// `ops::saxpy`. Empty if it is not mangled.
fn cpp_path(entry: &str) -> String {
    let Some(mut rest) = entry.strip_prefix("_Z") else { return String::new() };
    let nested = rest.strip_prefix('N');
    rest = nested.unwrap_or(rest);
    let mut names: Vec<&str> = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0) {
        let Ok(length) = rest[..digits].parse::<usize>() else { break };
        let Some(name) = rest.get(digits..).and_then(|rest| rest.get(..length)) else { break };
        names.push(name);
        rest = &rest[digits + length..];
        if nested.is_none() {
            break;
        }
    }
    names.join("::")
}

#[cfg(test)]
mod tests {
    use super::cpp_path;

    #[test]
    fn mangled_names_are_read() {
        assert_eq!(cpp_path("_Z5saxpyfPKfPfi"), "saxpy");
        assert_eq!(cpp_path("_ZN3ops5saxpyIfLi4EEEvPT_"), "ops::saxpy");
        assert_eq!(cpp_path("_Z1tILi1EEvPf"), "t");
        assert_eq!(cpp_path("_Z9short"), "");
        assert_eq!(cpp_path("saxpy"), "");
    }
}

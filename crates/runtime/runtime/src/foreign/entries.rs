//! The entries of a module, by their C++ names.

use crate::{Error, PtxModule, Result};
use lanework_ptx::cpp_names::CppName;

impl PtxModule {
    /// The entry of this name, mangled or in C++ (`saxpy`, `ops::saxpy`, `saxpy<float, 4>`), or the only one.
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
    /// [`Error::Request`] if no entry has this name, or several have.
    pub fn find_entry(&self, name: Option<&str>) -> Result<String> {
        let entries: Vec<&str> = self.module().entries().map(|entry| entry.name.as_str()).collect();
        let said = |entry: &&str| match CppName::of(entry) {
            Some(name) => format!("{name} ({entry})"),
            None => (*entry).to_owned(),
        };
        let listed = |entries: &[&str]| entries.iter().map(said).collect::<Vec<_>>().join(", ");
        let list = listed(&entries);
        // `_Z5saxpyfPKfPfi` is `saxpy` in C++; overloads share a name.
        let called = |entry: &&str| {
            CppName::of(entry).is_some_and(|own| name.is_some_and(|name| own.is(name)))
        };
        let in_cpp: Vec<&str> = entries.iter().copied().filter(called).collect();
        let refuse = |why: String, help: String| Err(Error::Request { why, help });
        match (name, entries.as_slice()) {
            (Some(name), _) if entries.contains(&name) => Ok(name.to_owned()),
            (Some(_), _) if in_cpp.len() == 1 => Ok(in_cpp[0].to_owned()),
            (Some(name), _) if in_cpp.len() > 1 => refuse(
                format!("several entries are called `{name}`"),
                format!("name one of them: {}", listed(&in_cpp)),
            ),
            (None, [only]) => Ok((*only).to_owned()),
            (_, []) => {
                let help = "in PTX declare one with `.entry`; in CUDA C++ write a `__global__` function, and of a \
                            template an instance: `template __global__ void k<float>(float*);`";
                refuse("the module has no entry".to_owned(), help.to_owned())
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

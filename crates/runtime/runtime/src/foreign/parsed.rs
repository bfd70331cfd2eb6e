//! Cache of loaded modules. A text that is loaded while a module of it is alive is neither parsed nor checked again. A text that another process has checked is parsed but not checked.

use crate::foreign::disk_cache::DiskCache;
use crate::{Error, Result};
use lanework_ptx::Module;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Texts with their modules, while these are in use.
type Known = HashMap<u64, Vec<(Box<str>, Weak<Module>)>>;

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn with_known<T>(of: impl FnOnce(&mut Known) -> T) -> T {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    of(known.get_or_insert_default())
}

/// A hash of a text.
fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn known(number: u64, text: &str) -> Option<Arc<Module>> {
    with_known(|known| {
        let same = known.get(&number)?.iter().find(|(other, _)| **other == *text);
        same.and_then(|(_, module)| module.upgrade())
    })
}

/// Reads and checks a text.
pub fn checked(text: &str) -> Result<Module> {
    let parsed = Module::parse(text).and_then(|module| module.validate().map(|()| module));
    parsed.map_err(|problems| Error::Ptx(Box::new(problems)))
}

/// The module of a text that passes all checks; known texts are not checked again.
pub fn shared(text: &str) -> Result<Arc<Module>> {
    shared_by(text, DiskCache::of_user())
}

fn shared_by(text: &str, cache: Option<&DiskCache>) -> Result<Arc<Module>> {
    let number = number(text);
    if let Some(module) = known(number, text) {
        return Ok(module);
    }
    let cache = cache.filter(|cache| cache.takes(text));
    let module = match cache {
        Some(cache) if cache.holds(number, text) => {
            Module::parse(text).map_err(|problems| Error::Ptx(Box::new(problems)))?
        }
        _ => {
            let module = checked(text)?;
            if let Some(cache) = cache {
                cache.keep(number, text);
            }
            module
        }
    };
    let module = Arc::new(module);
    with_known(|known| {
        known.retain(|_, same| {
            same.retain(|(_, module)| module.strong_count() > 0);
            !same.is_empty()
        });
        known.entry(number).or_default().push((text.into(), Arc::downgrade(&module)));
    });
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> String {
        let filling = "// what a compiler says\n".repeat(2000);
        format!(
            "{filling}.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {name}() {{ ret; }}\n"
        )
    }

    #[test]
    fn a_text_is_read_once_while_its_module_lives() {
        let text = text("lives");
        let first = shared_by(&text, None).expect("a module");
        assert!(Arc::ptr_eq(&first, &shared_by(&text, None).expect("a module")));
        let number = number(&text);
        assert!(known(number, &text).is_some() && known(number, "another").is_none());
        drop(first);
        assert!(known(number, &text).is_none());
    }

    #[test]
    fn what_fails_a_check_fails_it_again() {
        let wrong = text("wrong").replace("ret;", "add.u32 %r1, %r2, %r3;");
        assert!(shared_by(&wrong, None).is_err() && shared_by(&wrong, None).is_err());
    }

    #[test]
    fn only_what_passed_is_kept_and_only_the_whole_text_counts() {
        let folder = std::env::temp_dir().join(format!("lanework-parsed-{}", std::process::id()));
        let cache = DiskCache::in_folder(folder.clone(), 1 << 20).expect("a folder");
        let (right, wrong) = (text("right"), text("wrong").replace("ret;", "bar.nowhere;"));
        assert!(shared_by(&wrong, Some(&cache)).is_err());
        assert!(!cache.holds(number(&wrong), &wrong));
        assert!(shared_by(&right, Some(&cache)).is_ok());
        assert!(cache.holds(number(&right), &right));
        // A file with another text, as after a hash collision, does not count for this one.
        cache.keep(number(&wrong), &right);
        assert!(shared_by(&wrong, Some(&cache)).is_err());
        std::fs::remove_dir_all(folder).expect("it was there");
    }
}

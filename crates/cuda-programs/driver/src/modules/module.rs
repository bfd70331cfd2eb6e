//! Modules as the driver keeps them: PTX loaded into a context.

use crate::handles::Handle;
use crate::lock::lock;
use crate::modules::entry::Entry;
use crate::status::{Result, Status};
use lanework::PtxModule;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A loaded module.
pub struct Module {
    pub context: Handle,
    pub code: PtxModule,
    /// The handles of functions that were asked for, by name.
    pub functions: Mutex<BTreeMap<String, Handle>>,
    /// Texture and surface references that were asked for, by the names of their variables.
    pub references: Mutex<BTreeMap<String, Handle>>,
    /// What is known of its entries, by name, as far as it was asked for.
    entries: Mutex<BTreeMap<String, Arc<Entry>>>,
    /// Held while a kernel that may launch others runs, with all that it launched.
    pub launching: Mutex<()>,
}

impl Module {
    pub fn new(context: Handle, code: PtxModule) -> Module {
        Module {
            context,
            code,
            functions: Mutex::default(),
            references: Mutex::default(),
            entries: Mutex::default(),
            launching: Mutex::default(),
        }
    }

    /// The entry of a name.
    pub fn entry(&self, name: &str) -> Result<Arc<Entry>> {
        if let Some(known) = lock(&self.entries).get(name) {
            return Ok(known.clone());
        }
        let found = Arc::new(Entry::of(&self.code, name).ok_or(Status::NotFound)?);
        lock(&self.entries).insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

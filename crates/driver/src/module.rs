//! Modules as the driver keeps them: PTX loaded into a context.

use crate::handles::Handle;
use lanework::PtxModule;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A loaded module.
pub struct Module {
    pub context: Handle,
    pub code: PtxModule,
    /// The handles of functions that were asked for, by name.
    pub functions: Mutex<BTreeMap<String, Handle>>,
}

//! Texture and surface references: variables of a module (`.texref`, `.surfref`) that hold a handle, which programs of CUDA before 12 bind to
//! memory by calls on the variable. What was bound or changed since the last launch becomes an object when a kernel of the module runs, and
//! its handle is written to the variable.

use crate::handles::Handle;
use crate::lock::lock;
use crate::modules::module::Module;
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use crate::textures::calls::{Made, end};
use crate::textures::descriptions::{LINEAR, ROWS, Reading, Resource};
use lanework::ptx::ScalarType;
use std::sync::{Mutex, MutexGuard};

/// A texture or surface reference.
#[derive(Default)]
pub struct Reference {
    state: Mutex<State>,
}

/// What a reference is bound to, and how it is read.
#[derive(Clone, Copy, Default)]
pub struct State {
    /// What it is bound to.
    pub resource: Option<Resource>,
    pub reading: Reading,
    /// Format and channels of memory that is not an array.
    pub format: u32,
    pub channels: u32,
    /// The object that the variable holds now.
    object: u64,
    /// Whether something was changed since.
    changed: bool,
}

impl Reference {
    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes it.
    pub fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        state.changed = true;
    }
}

impl State {
    /// What it is bound to, in its own format where that is memory.
    fn bound(&self) -> Option<Resource> {
        self.resource.map(|resource| match resource.kind {
            LINEAR | ROWS => Resource { format: self.format, channels: self.channels, ..resource },
            _ => resource,
        })
    }
}

/// The reference of a variable of a module, made when it is first asked for.
pub fn of_variable(module: Handle, name: &str, kind: ScalarType) -> Result<Handle> {
    let module = table::<Module>().get(module)?;
    let is_it = |variable: &lanework::ptx::Variable| variable.name == name && variable.ty == kind;
    if !module.code.module().variables().any(is_it) {
        return Err(Status::NotFound);
    }
    let mut references = lock(&module.references);
    let made = || table::<Reference>().add(Reference::default());
    Ok(*references.entry(name.to_owned()).or_insert_with(made))
}

/// Gives the references of a module what they are bound to, before a kernel of it runs.
pub fn bind_all(module: &Module) -> Result {
    let references = lock(&module.references);
    for (name, reference) in references.iter() {
        let Some(reference) = table::<Reference>().find(*reference) else { continue };
        let mut state = reference.state();
        if !state.changed {
            continue;
        }
        let (address, _) = module.code.variable(name).ok_or(Status::NotFound)?;
        let texture = module
            .code
            .module()
            .variables()
            .any(|variable| variable.name == *name && variable.ty == ScalarType::Texref);
        driver()?.bind(&mut state, address, texture)?;
    }
    Ok(())
}

impl Driver {
    /// Writes a handle of what a reference is bound to where its variable lies.
    fn bind(&self, state: &mut State, address: u64, texture: bool) -> Result {
        let object = match state.bound() {
            None => 0,
            Some(resource) if texture => {
                let reading = Some(state.reading);
                self.make_texture(Made { resource, reading, view: None })?
            }
            Some(resource) => self.make_surface(resource)?,
        };
        self.write(address, &object.to_le_bytes())?;
        let old = std::mem::replace(&mut state.object, object);
        state.changed = false;
        if old == 0 { Ok(()) } else { end(old) }
    }
}

/// Ends the references of a module.
pub fn end_all(module: &Module) {
    for (_, reference) in std::mem::take(&mut *lock(&module.references)) {
        let ended = table::<Reference>().remove(reference);
        let object = ended.map_or(0, |reference| reference.state().object);
        if object != 0 {
            // It is gone already where its context was reset.
            let _ = end(object);
        }
    }
}

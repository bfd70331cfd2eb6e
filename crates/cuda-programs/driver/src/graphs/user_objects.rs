//! User objects: reference-counted resources of the program. Its callback destroys an object when the last reference
//! is released.

use crate::api::api;
use crate::graphs::work::{Executable, Graph, HostCall, HostFunction};
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::ffi::c_void;
use std::sync::Mutex;

/// A user object.
struct UserObject {
    destroy: HostCall,
    references: Mutex<u32>,
}

/// Adds references.
fn retain(object: Handle, count: u32) -> Result {
    let object = table::<UserObject>().get(object)?;
    let mut references = lock(&object.references);
    *references = references.checked_add(count).ok_or(Status::InvalidValue)?;
    Ok(())
}

/// Releases references, and destroys the object with the last one.
pub fn release(handle: Handle, count: u32) -> Result {
    let object = table::<UserObject>().get(handle)?;
    let left = {
        let mut references = lock(&object.references);
        *references = references.checked_sub(count).ok_or(Status::InvalidValue)?;
        *references
    };
    if left == 0 {
        table::<UserObject>().remove(handle)?;
        object.destroy.run();
    }
    Ok(())
}

/// Adds references for an executable made from a graph, as many as the graph holds.
pub fn share(held: &[(Handle, u32)]) -> Vec<(Handle, u32)> {
    held.iter().copied().filter(|&(object, count)| retain(object, count).is_ok()).collect()
}

/// Releases all references of a graph or executable.
fn release_all(held: &[(Handle, u32)]) {
    for &(object, count) in held {
        let _ = release(object, count);
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        release_all(&std::mem::take(&mut *lock(&self.objects)));
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        release_all(&self.objects);
    }
}

/// `CU_GRAPH_USER_OBJECT_MOVE`: transfer the caller's references to the graph.
const MOVE: u32 = 1;

api! {
    fn cuUserObjectCreate(object: Out<'_, Handle>, data: *mut c_void, destroy: Option<HostFunction>, references: u32, flags: u32) {
        driver()?;
        // `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC` (1) is mandatory.
        if references == 0 || references > i32::MAX as u32 || flags != 1 {
            return Err(Status::InvalidValue);
        }
        let destroy = destroy.ok_or(Status::InvalidValue)?;
        let destroy = HostCall::new(destroy, data);
        let made = UserObject { destroy, references: Mutex::new(references) };
        object.store(table::<UserObject>().add(made))
    }

    fn cuUserObjectRetain(object: Handle, count: u32) {
        driver()?;
        if count == 0 { Err(Status::InvalidValue) } else { retain(object, count) }
    }

    fn cuUserObjectRelease(object: Handle, count: u32) {
        driver()?;
        if count == 0 { Err(Status::InvalidValue) } else { release(object, count) }
    }

    fn cuGraphRetainUserObject(graph: Handle, object: Handle, count: u32, flags: u32) {
        let graph = table::<Graph>().some(graph)?;
        if count == 0 || flags > MOVE {
            return Err(Status::InvalidValue);
        }
        table::<UserObject>().get(object)?;
        if flags != MOVE {
            retain(object, count)?;
        }
        lock(&graph.objects).push((object, count));
        Ok(())
    }

    fn cuGraphReleaseUserObject(graph: Handle, object: Handle, count: u32) {
        let graph = table::<Graph>().some(graph)?;
        let mut objects = lock(&graph.objects);
        let held = objects.iter_mut().find(|(held, of_graph)| *held == object && *of_graph >= count);
        held.ok_or(Status::InvalidValue)?.1 -= count;
        objects.retain(|(_, count)| *count > 0);
        drop(objects);
        release(object, count)
    }
}

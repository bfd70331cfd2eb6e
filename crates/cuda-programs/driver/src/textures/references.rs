//! Texture and surface references, which programs used instead of objects before CUDA 12: variables of a module
//! (`.texref`, `.surfref`) that hold a handle and that calls bind to memory. Before a kernel of the module is
//! launched, changed references become objects, and their handles are written to the variables.

use crate::api::api;
use crate::modules::module::Module;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::textures::arrays::{Array, ArrayDescriptor2D, MipmappedArray, texel};
use crate::textures::objects::{
    ARRAY, LINEAR, MIPMAP, ObjectDescription, ROWS, ResourceDescription, TextureDescription, end,
};
use lanework::ptx::ScalarType;
use std::sync::{Mutex, MutexGuard};

/// A texture or surface reference.
#[derive(Default)]
pub struct Reference {
    state: Mutex<ReferenceState>,
}

/// Binding and sampling state of a reference.
#[derive(Clone, Copy, Default)]
pub struct ReferenceState {
    /// The bound resource.
    pub resource: Option<ResourceDescription>,
    pub reading: TextureDescription,
    /// Format and channels for memory that is not an array.
    pub format: u32,
    pub channels: u32,
    /// The object whose handle the variable holds.
    object: u64,
    /// Whether the state changed since the object was made.
    changed: bool,
}

impl Reference {
    pub fn state(&self) -> MutexGuard<'_, ReferenceState> {
        lock(&self.state)
    }

    /// Changes the state.
    pub fn change(&self, change: impl FnOnce(&mut ReferenceState)) {
        let mut state = self.state();
        change(&mut state);
        state.changed = true;
    }
}

impl ReferenceState {
    /// The bound resource; memory gets the reference's format.
    fn bound(&self) -> Option<ResourceDescription> {
        self.resource.map(|resource| match resource.kind {
            LINEAR | ROWS => {
                ResourceDescription { format: self.format, channels: self.channels, ..resource }
            }
            _ => resource,
        })
    }
}

/// The reference of a module's variable, created on first use.
fn of_variable(module: Handle, name: &str, kind: ScalarType) -> Result<Handle> {
    let module = table::<Module>().get(module)?;
    let is_it = |variable: &lanework::ptx::Variable| variable.name == name && variable.ty == kind;
    if !module.code.module().variables().any(is_it) {
        return Err(Status::NotFound);
    }
    let mut references = lock(&module.references);
    let made = || table::<Reference>().add(Reference::default());
    Ok(*references.entry(name.to_owned()).or_insert_with(made))
}

/// Updates the variables of changed references before a launch.
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
    /// Writes the handle of the bound resource to the variable.
    fn bind(&self, state: &mut ReferenceState, address: u64, texture: bool) -> Result {
        let object = match state.bound() {
            None => 0,
            Some(resource) if texture => {
                let reading = Some(state.reading);
                self.make_texture(ObjectDescription { resource, reading, view: None })?
            }
            Some(resource) => self.make_surface(resource)?,
        };
        self.write(address, &object.to_le_bytes())?;
        let old = std::mem::replace(&mut state.object, object);
        state.changed = false;
        if old == 0 { Ok(()) } else { end(old) }
    }
}

/// Destroys the references of a module.
pub fn end_all(module: &Module) {
    for (_, reference) in std::mem::take(&mut *lock(&module.references)) {
        let ended = table::<Reference>().remove(reference);
        let object = ended.map_or(0, |reference| reference.state().object);
        if object != 0 {
            // A reset of the context may already have destroyed the object.
            let _ = end(object);
        }
    }
}

/// Alignment of textures in linear memory; kernels add the offset of unaligned textures.
const ALIGNMENT: u64 = 512;
/// Valid flags: as for texture objects, except seamless cubemaps.
const FLAGS: u32 = 0x33;

/// Changes a reference.
fn change(reference: Handle, change: impl FnOnce(&mut ReferenceState)) -> Result {
    driver()?;
    table::<Reference>().get(reference)?.change(change);
    Ok(())
}

/// State of a reference.
fn state(reference: Handle) -> Result<ReferenceState> {
    driver()?;
    Ok(*table::<Reference>().get(reference)?.state())
}

/// Handle or address of the bound resource, if it has one of these kinds.
fn place(reference: Handle, kinds: &[u32]) -> Result<u64> {
    let resource = state(reference)?.resource.filter(|resource| kinds.contains(&resource.kind));
    resource.map(|resource| resource.place).ok_or(Status::InvalidValue)
}

/// Binds a reference to pitched memory.
fn bind_rows(
    reference: Handle,
    descriptor: In<'_, ArrayDescriptor2D>,
    address: u64,
    pitch: usize,
) -> Result {
    let ArrayDescriptor2D { width, height, format, channels } = descriptor.get()?;
    let rows = ResourceDescription {
        kind: ROWS,
        place: address,
        width,
        height,
        pitch,
        ..ResourceDescription::default()
    };
    change(reference, |state| {
        (state.resource, state.format, state.channels) = (Some(rows), format, channels);
    })
}

api! {
    fn cuModuleGetTexRef(reference: Out<'_, Handle>, module: Handle, name: Text<'_>) {
        reference.store(of_variable(module, name.get()?, ScalarType::Texref)?)
    }

    fn cuModuleGetSurfRef(reference: Out<'_, Handle>, module: Handle, name: Text<'_>) {
        reference.store(of_variable(module, name.get()?, ScalarType::Surfref)?)
    }

    fn cuTexRefCreate(reference: Out<'_, Handle>) {
        driver()?;
        reference.store(table::<Reference>().add(Reference::default()))
    }

    fn cuTexRefDestroy(reference: Handle) {
        driver()?;
        table::<Reference>().remove(reference).map(drop)
    }

    fn cuParamSetTexRef(_function: Handle, unit: i32, reference: Handle) {
        // A module's references are always visible to its kernels, so there is nothing to do. -1 is the only unit.
        state(reference)?;
        if unit == -1 { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn cuTexRefSetArray(reference: Handle, array: Handle, flags: u32) {
        let descriptor = table::<Array>().get(array)?.descriptor;
        if flags & !1 != 0 {
            return Err(Status::InvalidValue);
        }
        let whole = ResourceDescription { kind: ARRAY, place: array, ..ResourceDescription::default() };
        change(reference, |state| {
            state.resource = Some(whole);
            (state.format, state.channels) = (descriptor.format, descriptor.channels);
        })
    }

    fn cuTexRefSetMipmappedArray(reference: Handle, array: Handle, flags: u32) {
        table::<MipmappedArray>().get(array)?;
        if flags & !1 != 0 {
            return Err(Status::InvalidValue);
        }
        let whole = ResourceDescription { kind: MIPMAP, place: array, ..ResourceDescription::default() };
        change(reference, |state| state.resource = Some(whole))
    }

    fn cuTexRefSetAddress_v2(offset: Out<'_, usize>, reference: Handle, address: u64, bytes: usize) {
        let beyond = address % ALIGNMENT;
        if offset.is_null() && beyond != 0 {
            return Err(Status::InvalidValue);
        }
        let width = bytes.checked_add(beyond as usize).ok_or(Status::InvalidValue)?;
        let line = ResourceDescription { kind: LINEAR, place: address - beyond, width, ..ResourceDescription::default() };
        change(reference, |state| state.resource = (address != 0).then_some(line))?;
        offset.store_optional(beyond as usize);
        Ok(())
    }

    fn cuTexRefSetAddress2D_v2(reference: Handle, descriptor: In<'_, ArrayDescriptor2D>, address: u64, pitch: usize) {
        bind_rows(reference, descriptor, address, pitch)
    }

    fn cuTexRefSetAddress2D_v3(reference: Handle, descriptor: In<'_, ArrayDescriptor2D>, address: u64, pitch: usize) {
        bind_rows(reference, descriptor, address, pitch)
    }

    fn cuTexRefSetFormat(reference: Handle, format: u32, channels: i32) {
        texel(format, channels as u32)?;
        change(reference, |state| (state.format, state.channels) = (format, channels as u32))
    }

    fn cuTexRefSetAddressMode(reference: Handle, dimension: i32, mode: u32) {
        let dimension = usize::try_from(dimension).ok().filter(|dimension| *dimension < 3);
        let dimension = dimension.filter(|_| mode <= 3).ok_or(Status::InvalidValue)?;
        change(reference, |state| state.reading.address[dimension] = mode)
    }

    fn cuTexRefSetFilterMode(reference: Handle, filter: u32) {
        if filter > 1 {
            return Err(Status::InvalidValue);
        }
        change(reference, |state| state.reading.filter = filter)
    }

    fn cuTexRefSetMipmapFilterMode(reference: Handle, filter: u32) {
        if filter > 1 {
            return Err(Status::InvalidValue);
        }
        change(reference, |state| state.reading.level_filter = filter)
    }

    fn cuTexRefSetMipmapLevelBias(reference: Handle, bias: f32) {
        change(reference, |state| state.reading.level_bias = bias)
    }

    fn cuTexRefSetMipmapLevelClamp(reference: Handle, least: f32, most: f32) {
        change(reference, |state| (state.reading.least_level, state.reading.most_level) = (least, most))
    }

    fn cuTexRefSetMaxAnisotropy(reference: Handle, most: u32) {
        change(reference, |state| state.reading.anisotropy = most)
    }

    fn cuTexRefSetBorderColor(reference: Handle, color: In<'_, [f32; 4]>) {
        let color = color.get()?;
        change(reference, |state| state.reading.border = color)
    }

    fn cuTexRefSetFlags(reference: Handle, flags: u32) {
        if flags & !FLAGS != 0 {
            return Err(Status::InvalidValue);
        }
        change(reference, |state| state.reading.flags = flags)
    }

    fn cuTexRefGetAddress_v2(address: Out<'_, u64>, reference: Handle) {
        address.store(place(reference, &[LINEAR, ROWS])?)
    }

    fn cuTexRefGetArray(array: Out<'_, Handle>, reference: Handle) {
        array.store(place(reference, &[ARRAY])?)
    }

    fn cuTexRefGetMipmappedArray(array: Out<'_, Handle>, reference: Handle) {
        array.store(place(reference, &[MIPMAP])?)
    }

    fn cuTexRefGetAddressMode(mode: Out<'_, u32>, reference: Handle, dimension: i32) {
        let modes = state(reference)?.reading.address;
        let found = usize::try_from(dimension).ok().and_then(|dimension| modes.get(dimension));
        mode.store(*found.ok_or(Status::InvalidValue)?)
    }

    fn cuTexRefGetFilterMode(filter: Out<'_, u32>, reference: Handle) {
        filter.store(state(reference)?.reading.filter)
    }

    fn cuTexRefGetFormat(format: Out<'_, u32>, channels: Out<'_, i32>, reference: Handle) {
        let state = state(reference)?;
        format.store_optional(state.format);
        channels.store_optional(state.channels as i32);
        Ok(())
    }

    fn cuTexRefGetMipmapFilterMode(filter: Out<'_, u32>, reference: Handle) {
        filter.store(state(reference)?.reading.level_filter)
    }

    fn cuTexRefGetMipmapLevelBias(bias: Out<'_, f32>, reference: Handle) {
        bias.store(state(reference)?.reading.level_bias)
    }

    fn cuTexRefGetMipmapLevelClamp(least: Out<'_, f32>, most: Out<'_, f32>, reference: Handle) {
        let reading = state(reference)?.reading;
        least.store(reading.least_level)?;
        most.store(reading.most_level)
    }

    fn cuTexRefGetMaxAnisotropy(most: Out<'_, i32>, reference: Handle) {
        most.store(state(reference)?.reading.anisotropy as i32)
    }

    fn cuTexRefGetBorderColor(color: Out<'_, [f32; 4]>, reference: Handle) {
        color.store(state(reference)?.reading.border)
    }

    fn cuTexRefGetFlags(flags: Out<'_, u32>, reference: Handle) {
        flags.store(state(reference)?.reading.flags)
    }

    fn cuSurfRefSetArray(reference: Handle, array: Handle, flags: u32) {
        table::<Array>().get(array)?;
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        let whole = ResourceDescription { kind: ARRAY, place: array, ..ResourceDescription::default() };
        change(reference, |state| state.resource = Some(whole))
    }

    fn cuSurfRefGetArray(array: Out<'_, Handle>, reference: Handle) {
        array.store(place(reference, &[ARRAY])?)
    }
}

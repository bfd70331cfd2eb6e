//! Calls on texture and surface references, which programs of CUDA before 12 use instead of objects.

use crate::api::api;
use crate::handles::Handle;
use crate::pointers::{In, Out, Text};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::textures::array::{Array, Levels, texel};
use crate::textures::arrays::Descriptor2D;
use crate::textures::descriptions::{ARRAY, LINEAR, MIPMAP, ROWS, Resource};
use crate::textures::reference::{Reference, State, of_variable};
use lanework::ptx::ScalarType;

/// Bytes to which textures of linear memory are aligned, as allocations are; what is not has an offset that its kernel adds.
const ALIGNMENT: u64 = 512;
/// Flags of references: those of texture objects but for cubes' edges.
const FLAGS: u32 = 0x33;

/// Changes a reference.
fn change(reference: Handle, change: impl FnOnce(&mut State)) -> Result {
    driver()?;
    table::<Reference>().get(reference)?.change(change);
    Ok(())
}

/// What a reference is.
fn state(reference: Handle) -> Result<State> {
    driver()?;
    Ok(*table::<Reference>().get(reference)?.state())
}

/// The place that a reference is bound to, of one kind of resource.
fn place(reference: Handle, kinds: &[u32]) -> Result<u64> {
    let resource = state(reference)?.resource.filter(|resource| kinds.contains(&resource.kind));
    resource.map(|resource| resource.place).ok_or(Status::InvalidValue)
}

/// Binds a reference to rows of memory.
fn bind_rows(
    reference: Handle,
    descriptor: In<'_, Descriptor2D>,
    address: u64,
    pitch: usize,
) -> Result {
    let Descriptor2D { width, height, format, channels } = descriptor.get()?;
    let rows = Resource { kind: ROWS, place: address, width, height, pitch, ..Resource::default() };
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
        // A reference of a module is read as it is bound, so that there is nothing to do; -1 is the only unit.
        state(reference)?;
        if unit == -1 { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn cuTexRefSetArray(reference: Handle, array: Handle, flags: u32) {
        let descriptor = table::<Array>().get(array)?.descriptor;
        if flags & !1 != 0 {
            return Err(Status::InvalidValue);
        }
        let whole = Resource { kind: ARRAY, place: array, ..Resource::default() };
        change(reference, |state| {
            state.resource = Some(whole);
            (state.format, state.channels) = (descriptor.format, descriptor.channels);
        })
    }

    fn cuTexRefSetMipmappedArray(reference: Handle, array: Handle, flags: u32) {
        table::<Levels>().get(array)?;
        if flags & !1 != 0 {
            return Err(Status::InvalidValue);
        }
        let whole = Resource { kind: MIPMAP, place: array, ..Resource::default() };
        change(reference, |state| state.resource = Some(whole))
    }

    fn cuTexRefSetAddress_v2(offset: Out<'_, usize>, reference: Handle, address: u64, bytes: usize) {
        let beyond = address % ALIGNMENT;
        if offset.is_null() && beyond != 0 {
            return Err(Status::InvalidValue);
        }
        let width = bytes.checked_add(beyond as usize).ok_or(Status::InvalidValue)?;
        let line = Resource { kind: LINEAR, place: address - beyond, width, ..Resource::default() };
        change(reference, |state| state.resource = (address != 0).then_some(line))?;
        offset.offer(beyond as usize);
        Ok(())
    }

    fn cuTexRefSetAddress2D_v2(reference: Handle, descriptor: In<'_, Descriptor2D>, address: u64, pitch: usize) {
        bind_rows(reference, descriptor, address, pitch)
    }

    fn cuTexRefSetAddress2D_v3(reference: Handle, descriptor: In<'_, Descriptor2D>, address: u64, pitch: usize) {
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

    fn cuTexRefSetBorderColor(reference: Handle, colour: In<'_, [f32; 4]>) {
        let colour = colour.get()?;
        change(reference, |state| state.reading.border = colour)
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
        format.offer(state.format);
        channels.offer(state.channels as i32);
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

    fn cuTexRefGetBorderColor(colour: Out<'_, [f32; 4]>, reference: Handle) {
        colour.store(state(reference)?.reading.border)
    }

    fn cuTexRefGetFlags(flags: Out<'_, u32>, reference: Handle) {
        flags.store(state(reference)?.reading.flags)
    }

    fn cuSurfRefSetArray(reference: Handle, array: Handle, flags: u32) {
        table::<Array>().get(array)?;
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        let whole = Resource { kind: ARRAY, place: array, ..Resource::default() };
        change(reference, |state| state.resource = Some(whole))
    }

    fn cuSurfRefGetArray(array: Out<'_, Handle>, reference: Handle) {
        array.store(place(reference, &[ARRAY])?)
    }
}

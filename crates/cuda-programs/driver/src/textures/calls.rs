//! Textures and surfaces: objects that name an image and how it is read.

use crate::api::{api, say};
use crate::lock::lock;
use crate::pointers::{In, Out};
use crate::state::{Driver, driver};
use crate::status::{Result, Status};
use crate::textures::descriptions::{ARRAY, Reading, Resource, View};
use lanework::emulator::ImageShape;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// What an object was made of, for those who ask.
#[derive(Clone, Copy)]
pub struct Made {
    pub resource: Resource,
    pub reading: Option<Reading>,
    pub view: Option<View>,
}

static MADE: Mutex<BTreeMap<u64, Made>> = Mutex::new(BTreeMap::new());

impl Driver {
    /// Makes a texture.
    pub fn make_texture(&self, made: Made) -> Result<u64> {
        self.finish_detached()?;
        self.context()?;
        let (images, fraction) = made.resource.images(made.view.as_ref())?;
        let reading = made.reading.ok_or(Status::InvalidValue)?;
        let sampler = reading.sampler(&made.resource, &images[0], fraction)?;
        self.object(self.device.mipmap_at(&images, sampler), made)
    }

    /// Makes a surface.
    pub fn make_surface(&self, resource: Resource) -> Result<u64> {
        self.finish_detached()?;
        self.context()?;
        if resource.kind != ARRAY {
            return Err(Status::InvalidValue);
        }
        let mut image = resource.images(None)?.0[0];
        if image.shape == ImageShape::Cube {
            // Kernels take the faces of cubes for layers.
            (image.shape, image.layers) = (ImageShape::Plane, 6 * image.layers.max(1));
        }
        let made = Made { resource, reading: None, view: None };
        self.object(self.device.surface_at(image), made)
    }

    /// Remembers what an object was made of.
    fn object(&self, handle: lanework::Result<u64>, made: Made) -> Result<u64> {
        let handle = handle.map_err(|error| {
            say("a texture or surface is not made", &error);
            Status::InvalidValue
        })?;
        lock(&MADE).insert(handle, made);
        Ok(handle)
    }
}

/// Ends a texture or surface. No object ends without an error, as for NVIDIA's driver: `volumeFiltering` of the CUDA samples ends a surface that it did
/// not make.
pub fn end(object: u64) -> Result {
    let driver = driver()?;
    if object == 0 {
        return Ok(());
    }
    let known = lock(&MADE).remove(&object).is_some();
    if known && driver.device.end_image(object) { Ok(()) } else { Err(Status::InvalidValue) }
}

fn made(object: u64) -> Result<Made> {
    lock(&MADE).get(&object).copied().ok_or(Status::InvalidValue)
}

api! {
    fn cuTexObjectCreate(object: Out<'_, u64>, resource: In<'_, Resource>, reading: In<'_, Reading>, view: In<'_, View>) {
        let made = Made { resource: resource.get()?, reading: Some(reading.get()?), view: view.find() };
        let handle = driver()?.make_texture(made)?;
        object.store(handle)
    }

    fn cuTexObjectDestroy(object: u64) {
        end(object)
    }

    fn cuTexObjectGetResourceDesc(resource: Out<'_, Resource>, object: u64) {
        resource.store(made(object)?.resource)
    }

    fn cuTexObjectGetTextureDesc(reading: Out<'_, Reading>, object: u64) {
        reading.store(made(object)?.reading.ok_or(Status::InvalidValue)?)
    }

    fn cuTexObjectGetResourceViewDesc(view: Out<'_, View>, object: u64) {
        view.store(made(object)?.view.ok_or(Status::InvalidValue)?)
    }

    fn cuSurfObjectCreate(object: Out<'_, u64>, resource: In<'_, Resource>) {
        let handle = driver()?.make_surface(resource.get()?)?;
        object.store(handle)
    }

    fn cuSurfObjectDestroy(object: u64) {
        end(object)
    }

    fn cuSurfObjectGetResourceDesc(resource: Out<'_, Resource>, object: u64) {
        resource.store(made(object)?.resource)
    }
}

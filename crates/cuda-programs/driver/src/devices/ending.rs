//! The end of contexts, and of everything that belongs to them.

use crate::api::api;
use crate::devices::contexts::{Context, current, set_current};
use crate::devices::gpu::{Gpu, Primary};
use crate::handles::Handle;
use crate::lock::lock;
use crate::modules::module::Module;
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use crate::streams::event::Event;
use crate::streams::stream::Stream;
use crate::textures::array::{Array, Levels};

impl Driver {
    /// Ends everything that belongs to a context.
    fn clear(&self, context: Handle) {
        self.forget_queues(context);
        table::<Module>().retain(|module| module.context != context);
        table::<Stream>().retain(|stream| stream.context != context);
        table::<Event>().retain(|event| event.context != context);
        table::<Array>().retain(|array| array.context != context);
        table::<Levels>().retain(|levels| levels.context != context);
        self.end_memory_of_graphs(context);
        self.free_all_of(context);
    }

    /// Ends the primary context of a GPU.
    fn reset_primary(&self, ordinal: i32) -> Result {
        let gpu = self.gpu(ordinal)?;
        self.end_primary(gpu, &mut lock(&gpu.primary))
    }

    /// Ends a GPU's primary context, which nobody else retains or ends meanwhile.
    fn end_primary(&self, gpu: &Gpu, primary: &mut Primary) -> Result {
        let context = std::mem::take(&mut primary.context);
        primary.retained = 0;
        *lock(&gpu.pools) = [0; 2];
        if context != 0 {
            self.clear(context);
            table::<Context>().remove(context)?;
        }
        Ok(())
    }
}

/// Ends a context that a program made.
pub fn end_context(context: Handle) -> Result {
    let driver = driver()?;
    if table::<Context>().find(context).is_none_or(|context| context.primary) {
        return Err(Status::InvalidContext);
    }
    if current() == context {
        set_current(0);
    }
    driver.clear(context);
    table::<Context>().remove(context).map(drop)
}

/// Ends one use of the primary context of a GPU.
pub fn release_primary(device: i32) -> Result {
    let driver = driver()?;
    let gpu = driver.gpu(device)?;
    let mut primary = lock(&gpu.primary);
    primary.retained = primary.retained.checked_sub(1).ok_or(Status::InvalidContext)?;
    if primary.retained > 0 { Ok(()) } else { driver.end_primary(gpu, &mut primary) }
}

api! {
    fn cuDevicePrimaryCtxRelease_v2(device: i32) {
        release_primary(device)
    }

    fn cuDevicePrimaryCtxReset_v2(device: i32) {
        driver()?.reset_primary(device)
    }

    fn cuCtxDestroy_v2(context: Handle) {
        end_context(context)
    }
}

//! What the process knows of its streams while it checks their order.

use super::clock::Clock;
use super::history::History;
use super::strands::{Point, Strands};
use crate::lock::lock;
use crate::state::driver;
use lanework::tool;
use std::sync::{Arc, Mutex, OnceLock};

/// The order of operations, and what they accessed.
#[derive(Default)]
pub struct State {
    pub strands: Strands,
    pub history: History,
    /// Operations that run.
    pub running: Vec<Arc<Point>>,
}

impl State {
    /// A clock that knows all that others have done so far, or do: what an operation of this point may have waited for.
    pub fn all_but(&self, own: &Arc<Point>) -> Clock {
        let mut clock = self.history.all();
        for point in self.running.iter().filter(|point| !Arc::ptr_eq(point, own)) {
            clock.join(&point.clock());
        }
        clock
    }
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Whether operations are compared.
pub fn active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        let Ok(driver) = driver() else { return false };
        let checks = tool::checks(&driver.device);
        if checks {
            // From now on, the device notes which memory ends.
            tool::take_ended(&driver.device);
        }
        checks
    })
}

/// Calls `change` with the state, where operations are compared.
pub fn with<R>(change: impl FnOnce(&mut State) -> R) -> Option<R> {
    active().then(|| change(lock(&STATE).get_or_insert_default()))
}

//! Goals: limits of counters that a solution keeps.

use lanework_emulator::Counters;

/// The reason why a kernel with the right result is not a solution, and what helps.
pub struct Missed {
    /// The counter, its value and its limit.
    pub why: String,
    /// A hint, or the task.
    pub help: &'static str,
}

/// A goal: a counter and its limits.
#[derive(Clone, Copy)]
pub struct Goal {
    /// The counter's name.
    pub name: &'static str,
    /// Reads the counter.
    pub count: fn(&Counters) -> f64,
    /// The smallest allowed value.
    pub least: f64,
    /// The largest allowed value.
    pub most: f64,
}

impl Goal {
    /// The reason why the counters do not keep the limits, with `help` if a counter is too large and `task` if it is too small.
    pub(crate) fn missed(
        &self,
        counters: &Counters,
        help: &'static str,
        task: &'static str,
    ) -> Option<Missed> {
        let Goal { name, least, most, .. } = *self;
        let value = (self.count)(counters);
        match () {
            () if value > most => Some(Missed {
                why: format!("the result is right; {name}: {value}, the goal is {most}"),
                help,
            }),
            () if value < least => Some(Missed {
                why: format!("the result is right; {name}: {value}, a solution has {least}"),
                help: task,
            }),
            () => None,
        }
    }

    /// The goal of at least this many loads from shared memory, one for each warp.
    pub(crate) const fn shared_loads(least: f64) -> Goal {
        let count = |counters: &Counters| counters.shared_load.requests as f64;
        Goal { name: "loads from shared memory", count, least, most: f64::MAX }
    }

    /// The goal of at most this many loads from shared memory.
    pub(crate) const fn few_shared_loads(most: f64) -> Goal {
        Goal { least: 0.0, most, ..Goal::shared_loads(0.0) }
    }

    /// The goal of at most this many loads from global memory: every thread loads one number.
    pub(crate) const fn global_loads(most: f64) -> Goal {
        let count = |counters: &Counters| counters.global_load.requests as f64;
        Goal { name: "load requests", count, least: 0.0, most }
    }

    /// The goal of no atomics on global memory.
    pub(crate) const fn no_atomics() -> Goal {
        let count = |counters: &Counters| counters.global_atomic.requests as f64;
        Goal { name: "atomic requests", count, least: 0.0, most: 0.0 }
    }

    /// The goal of at least this many arrivals of warps at barriers.
    pub(crate) const fn barriers(least: f64) -> Goal {
        let count = |counters: &Counters| counters.barriers as f64;
        Goal { name: "barrier arrivals", count, least, most: f64::MAX }
    }

    /// The goal of at most this many sectors per load from global memory.
    pub(crate) const fn sectors_per_load(most: f64) -> Goal {
        let count = |counters: &Counters| counters.global_load.sectors_per_request();
        Goal { name: "sectors per load", count, least: 0.0, most }
    }

    /// The goal of no bank conflict.
    pub(crate) const fn no_bank_conflicts() -> Goal {
        let count = |counters: &Counters| {
            (counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts) as f64
        };
        Goal { name: "bank conflicts", count, least: 0.0, most: 0.0 }
    }

    /// The goal of at most this many warp instructions.
    pub(crate) const fn warp_instructions(most: f64) -> Goal {
        let count = |counters: &Counters| counters.warp_instructions as f64;
        Goal { name: "warp instructions", count, least: 0.0, most }
    }

    /// The goal of at most this many sectors per store to global memory.
    pub(crate) const fn sectors_per_store(most: f64) -> Goal {
        let count = |counters: &Counters| counters.global_store.sectors_per_request();
        Goal { name: "sectors per store", count, least: 0.0, most }
    }
}

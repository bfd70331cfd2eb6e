//! Fuel: what a launch as a whole may take: instructions and time, shared by all its workers.

use crate::fault::FaultKind;
use crate::limits::Options;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits of one launch, and what it has used.
pub struct Fuel {
    instructions: Option<u64>,
    time: Option<(Instant, Duration)>,
    used: AtomicU64,
}

impl Fuel {
    /// The fuel of a launch that starts now; `None` without limits.
    pub fn of(options: &Options) -> Option<Arc<Fuel>> {
        let (instructions, limit) = (options.total_instructions, options.time_limit);
        if instructions.is_none() && limit.is_none() {
            return None;
        }
        let time = limit.map(|limit| (Instant::now(), limit));
        Some(Arc::new(Fuel { instructions, time, used: AtomicU64::new(0) }))
    }

    /// A warp has executed some instructions.
    pub fn spend(&self, instructions: u64) {
        self.used.fetch_add(instructions, Ordering::Relaxed);
    }

    /// Which limit is reached, and in words.
    pub fn spent(&self) -> Option<(FaultKind, String)> {
        if let Some(most) = self.instructions
            && self.used.load(Ordering::Relaxed) >= most
        {
            let note = format!("the warps executed {most} instructions and had not all ended");
            return Some((FaultKind::InstructionLimit, note));
        }
        let (start, limit) = self.time?;
        (start.elapsed() >= limit).then(|| {
            let seconds = limit.as_secs_f64();
            (FaultKind::TimeLimit, format!("the launch ran for {seconds} s and had not ended"))
        })
    }
}

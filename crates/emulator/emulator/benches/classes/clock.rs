//! Processor time, so that other programs on the machine do not count.

use std::time::{Duration, Instant};

/// A point in processor time; in elapsed time if processor time is unknown.
pub struct Moment(Instant, Option<Duration>);

impl Moment {
    /// Now.
    pub fn now() -> Moment {
        Moment(Instant::now(), processor_time())
    }

    /// Processor time that all threads of the process have used since, in ns.
    pub fn elapsed(&self) -> f64 {
        let used = processor_time().zip(self.1).map(|(now, then)| now - then);
        used.unwrap_or_else(|| self.0.elapsed()).as_secs_f64() * 1e9
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn processor_time() -> Option<Duration> {
    #[repr(C)]
    struct TimeSpec {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
    }
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
    // SAFETY: libc's function, with room for one time of the layout that 64-bit Linux gives it.
    let code = unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    (code == 0).then(|| Duration::new(time.seconds as u64, time.nanoseconds as u32))
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn processor_time() -> Option<Duration> {
    None
}

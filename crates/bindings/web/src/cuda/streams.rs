//! Streams and events. Work runs when it is queued, so waits return immediately.

use super::graphs::{joins, not_captured, records};
use super::state::{cuda, failed_call, flush, put, put_int, put_word, status, sticky};
use lanework_host::{External, Process, Stop, word};

/// Handles of the default streams: legacy and per thread.
const DEFAULT: u64 = 2;

fn create(process: &mut Process, to: u64, flags: u64, priority: u64) -> Result<u64, Stop> {
    let state = cuda(process)?;
    let handle = state.handle();
    state.streams.insert(handle, (flags, priority));
    put_word(process, to, handle)
}

/// The status of a call that names a stream: a kernel's error, or an invalid handle if the stream does not exist.
fn stream(process: &mut Process, handle: u64) -> Result<u64, Stop> {
    if handle > DEFAULT && !cuda(process)?.streams.contains_key(&handle) {
        return failed_call(
            process,
            status::INVALID_HANDLE,
            "this is not a stream",
            "create it with `cudaStreamCreate`, and destroy it after its last use",
        );
    }
    Ok(sticky(process)?.unwrap_or(status::SUCCESS))
}

/// Waits for a stream, whose work has been done.
fn synchronize(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    match stream(process, word(a, 0))? {
        status::SUCCESS => not_captured(process, word(a, 0)),
        code => Ok(code),
    }
}

fn event(process: &mut Process, handle: u64) -> Result<u64, Stop> {
    if !cuda(process)?.events.contains_key(&handle) {
        return failed_call(
            process,
            status::INVALID_HANDLE,
            "this is not an event",
            "create it with `cudaEventCreate`, and destroy it after its last use",
        );
    }
    Ok(sticky(process)?.unwrap_or(status::SUCCESS))
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuCtxSynchronize", |process, _| {
        flush(process)?;
        Ok(sticky(process)?.unwrap_or(status::SUCCESS))
    }),
    ("cuStreamCreate", |process, a| create(process, word(a, 0), word(a, 1), 0)),
    ("cuStreamCreateWithPriority", |process, a| {
        create(process, word(a, 0), word(a, 1), word(a, 2))
    }),
    ("cuStreamDestroy_v2", |process, a| {
        let code = stream(process, word(a, 0))?;
        cuda(process)?.streams.remove(&word(a, 0));
        Ok(code)
    }),
    ("cuStreamSynchronize", synchronize),
    ("cuStreamQuery", synchronize),
    ("cuStreamWaitEvent", |process, a| match event(process, word(a, 1))? {
        status::SUCCESS => {
            joins(process, word(a, 0), word(a, 1))?;
            stream(process, word(a, 0))
        }
        code => Ok(code),
    }),
    ("cuStreamGetPriority", |process, a| {
        let found = cuda(process)?.streams.get(&word(a, 0)).map_or(0, |(_, priority)| *priority);
        put_int(process, word(a, 1), found as u32)
    }),
    ("cuStreamGetFlags", |process, a| {
        let found = cuda(process)?.streams.get(&word(a, 0)).map_or(0, |(flags, _)| *flags);
        put_int(process, word(a, 1), found as u32)
    }),
    ("cuCtxGetStreamPriorityRange", |process, a| {
        if word(a, 0) != 0 {
            put_int(process, word(a, 0), 0)?;
        }
        if word(a, 1) != 0 {
            put_int(process, word(a, 1), -5i32 as u32)?;
        }
        Ok(status::SUCCESS)
    }),
    ("cuEventCreate", |process, a| {
        let state = cuda(process)?;
        let handle = state.handle();
        state.events.insert(handle, None);
        put_word(process, word(a, 0), handle)
    }),
    ("cuEventDestroy_v2", |process, a| {
        let code = event(process, word(a, 0))?;
        cuda(process)?.events.remove(&word(a, 0));
        Ok(code)
    }),
    ("cuEventRecord", |process, a| {
        let code = match event(process, word(a, 0))? {
            status::SUCCESS => stream(process, word(a, 1))?,
            code => code,
        };
        // Graphs have no times.
        if code == status::SUCCESS && !records(process, word(a, 0), word(a, 1))? {
            let state = cuda(process)?;
            let now = state.started.elapsed().as_secs_f64() * 1e3;
            state.events.insert(word(a, 0), Some(now));
        }
        Ok(code)
    }),
    ("cuEventSynchronize", |process, a| event(process, word(a, 0))),
    ("cuEventQuery", |process, a| event(process, word(a, 0))),
    ("cuEventElapsedTime", |process, a| {
        let time = |handle: u64, process: &mut Process| {
            Ok::<_, Stop>(cuda(process)?.events.get(&handle).copied().flatten())
        };
        let (Some(start), Some(end)) = (time(word(a, 1), process)?, time(word(a, 2), process)?)
        else {
            return failed_call(
                process,
                status::INVALID_HANDLE,
                "an event of this time was not recorded",
                "record both events with `cudaEventRecord`",
            );
        };
        put(process, word(a, 0), &((end - start) as f32).to_le_bytes())?;
        Ok(status::SUCCESS)
    }),
];

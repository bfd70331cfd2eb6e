//! Copies and kernels, serial on one stream and overlapped in chunks on several (experiment C4).

use crate::Progress;
use lanework::{Backend, Buffer, Device, Error, Event, Pinned, Result, Stream, Transfer};
use lanework_bench::DeviceRecord;
use lanework_ladders::streams;
use lanework_verify::host::random_elements;
use serde::Serialize;

/// The copies and kernels to overlap.
#[derive(Clone, Copy, Debug)]
pub struct StreamsRequest {
    /// Elements of 4 bytes.
    pub elements: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of streams; chunks are assigned round-robin.
    pub streams: usize,
    /// Multiply-adds per element.
    pub steps: u32,
    /// Seed of the elements.
    pub seed: u64,
}

/// The result of an overlap.
#[derive(Clone, Debug, Serialize)]
pub struct StreamsRecord {
    /// The device.
    pub device: DeviceRecord,
    /// Elements of 4 bytes.
    pub elements: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of streams.
    pub streams: usize,
    /// Multiply-adds per element.
    pub steps: u32,
    /// Whether both runs gave the host's result, bit for bit.
    pub verified: bool,
    /// GPU time of all chunks on one stream, in nanoseconds; `None` on the emulator.
    pub serial_ns: Option<f64>,
    /// GPU time of the chunks on several streams.
    pub overlapped_ns: Option<f64>,
    /// Timeline of the overlapped run; empty on the emulator.
    pub timeline: Vec<Span>,
}

/// One copy or kernel on the GPU's clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The stream.
    pub stream: usize,
    /// The chunk.
    pub chunk: usize,
    /// `upload`, `kernel` or `download`.
    pub what: &'static str,
    /// Nanoseconds from the start of the run.
    pub start_ns: f64,
    /// Nanoseconds from the start of the run to its end.
    pub end_ns: f64,
}

/// The steps of a chunk, in order.
const PARTS: [&str; 3] = ["upload", "kernel", "download"];

/// The most streams.
const MOST_STREAMS: usize = 128;
/// The most chunks.
const MOST_CHUNKS: usize = 1 << 16;

/// Chunks on a device, with their host memory.
struct Chunks {
    inputs: Vec<Option<Pinned<u32>>>,
    outputs: Vec<Option<Pinned<u32>>>,
    buffers: Vec<(Buffer<u32>, Buffer<u32>)>,
}

/// Runs the work on one stream and on several, and compares both results with the host's.
///
/// # Errors
/// If the request is invalid or does not fit, or the device fails.
pub fn overlap(
    device: &Device,
    request: &StreamsRequest,
    progress: Progress<'_>,
) -> Result<StreamsRecord> {
    let StreamsRequest { elements, chunks, streams: count, steps, seed } = *request;
    if chunks == 0 || count == 0 || elements < chunks {
        return Err(Error::Launch {
            kernel: "streams".to_owned(),
            why: format!(
                "{elements} elements cannot be divided into {chunks} chunks on {count} streams"
            ),
            help: "give at least one stream, one chunk, and an element for each chunk".to_owned(),
        });
    }
    let refuse = |why: String, help: &str| {
        Err(Error::Launch { kernel: "streams".to_owned(), why, help: help.to_owned() })
    };
    if count > MOST_STREAMS {
        let why = format!("{count} streams, the limit is {MOST_STREAMS}");
        return refuse(why, "a GPU runs some tens of streams at once: use 2 to 8");
    }
    if count > chunks {
        let why = format!("{count} streams for {chunks} chunks: {} would idle", count - chunks);
        return refuse(why, "use as many chunks as streams at least");
    }
    if chunks > MOST_CHUNKS {
        let why = format!("{chunks} chunks, the limit is {MOST_CHUNKS}");
        return refuse(why, "use larger chunks: a copy and a kernel take microseconds each");
    }
    let bytes = 8 * elements as u64;
    crate::problem::check_memory(device, "streams", "inputs and outputs", bytes)?;
    progress("drawing random elements");
    let src: Vec<u32> = random_elements(elements, seed);
    let mut placed = place(device, &src, chunks)?;
    let (factor, add) = streams::on_host(steps);
    let on_host = |value: &u32| value.wrapping_mul(factor).wrapping_add(add);
    let expected: Vec<u32> = src.iter().map(on_host).collect();
    let serial = [device.stream()?];
    let many = (0..count).map(|_| device.stream()).collect::<Result<Vec<_>>>()?;
    // A first run compiles the kernel and touches all memory.
    run(device, &serial, &mut placed, steps)?;
    let mut verified = true;
    let mut timelines = Vec::new();
    for (what, queues) in [("on one stream", &serial[..]), ("on several streams", &many)] {
        progress(what);
        for (_, out) in &mut placed.buffers {
            out.fill_bytes(0xCD)?;
        }
        device.synchronize()?;
        timelines.push(run(device, queues, &mut placed, steps)?);
        verified &= right(&placed, &expected);
    }
    let end = |spans: &Vec<Span>| spans.iter().map(|span| span.end_ns).reduce(f64::max);
    Ok(StreamsRecord {
        device: DeviceRecord::of(device),
        elements,
        chunks,
        streams: count,
        steps,
        verified,
        serial_ns: end(&timelines[0]),
        overlapped_ns: end(&timelines[1]),
        timeline: timelines.remove(1),
    })
}

fn place(device: &Device, src: &[u32], chunks: usize) -> Result<Chunks> {
    let mut placed = Chunks { inputs: Vec::new(), outputs: Vec::new(), buffers: Vec::new() };
    for part in src.chunks(src.len().div_ceil(chunks)) {
        let mut input = device.pinned(part.len())?;
        input.copy_from_slice(part);
        placed.inputs.push(Some(input));
        placed.outputs.push(Some(device.pinned(part.len())?));
        let name = |what| device.uninit_named(part.len(), what);
        placed.buffers.push((name("chunk in")?, name("chunk out")?));
    }
    Ok(placed)
}

/// Queues every chunk on its stream, waits, and returns the timeline.
fn run(device: &Device, queues: &[Stream], placed: &mut Chunks, steps: u32) -> Result<Vec<Span>> {
    let timed = device.backend() == Backend::Cuda;
    let mark = |queue: &Stream| timed.then(|| queue.event()).transpose();
    let begin = mark(&queues[0])?;
    let mut transfers: Vec<[Transfer<u32>; 2]> = Vec::new();
    let mut marks: Vec<[Option<Event>; 4]> = Vec::new();
    for (chunk, (input, output)) in placed.buffers.iter_mut().enumerate() {
        let queue = &queues[chunk % queues.len()];
        let (Some(up), Some(down)) = (placed.inputs[chunk].take(), placed.outputs[chunk].take())
        else {
            unreachable!("every chunk has its host memory between runs")
        };
        let start = mark(queue)?;
        let up = queue.upload(up, input)?;
        let uploaded = mark(queue)?;
        queue.launch(&mut streams::prepare(input, output, steps, device)?)?;
        let computed = mark(queue)?;
        let down = queue.download(output, down)?;
        marks.push([start, uploaded, computed, mark(queue)?]);
        transfers.push([up, down]);
    }
    for (chunk, [up, down]) in transfers.into_iter().enumerate() {
        placed.inputs[chunk] = Some(up.wait()?);
        placed.outputs[chunk] = Some(down.wait()?);
    }
    device.synchronize()?;
    let Some(begin) = begin else { return Ok(Vec::new()) };
    let mut spans = Vec::new();
    for (chunk, marks) in marks.iter().enumerate() {
        let at = |part: usize| match &marks[part] {
            Some(event) => event.nanoseconds_since(&begin),
            None => Ok(0.0),
        };
        for (part, what) in PARTS.into_iter().enumerate() {
            let (start_ns, end_ns) = (at(part)?, at(part + 1)?);
            spans.push(Span { stream: chunk % queues.len(), chunk, what, start_ns, end_ns });
        }
    }
    Ok(spans)
}

fn right(placed: &Chunks, expected: &[u32]) -> bool {
    let outputs = placed.outputs.iter().flatten().flat_map(|output| output.iter());
    outputs.eq(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapped_and_serial_runs_give_the_hosts_result() {
        for device in Device::for_tests("overlap of copies and kernels") {
            let request =
                StreamsRequest { elements: 1001, chunks: 4, streams: 3, steps: 5, seed: 1 };
            let record = overlap(&device, &request, &mut |_| {}).expect("a run");
            assert!(record.verified);
            let timed = device.backend() == Backend::Cuda;
            assert_eq!(record.timeline.len(), if timed { 12 } else { 0 });
            assert_eq!(record.overlapped_ns.is_some(), timed);
        }
    }

    #[test]
    fn more_chunks_than_elements_are_refused() {
        let request = StreamsRequest { elements: 3, chunks: 4, streams: 1, steps: 1, seed: 1 };
        let why = overlap(&Device::emulator(), &request, &mut |_| {}).expect_err("too few");
        assert!(why.to_string().contains("3 elements cannot be divided into 4 chunks"), "{why}");
    }
}

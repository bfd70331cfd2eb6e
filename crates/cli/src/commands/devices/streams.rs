//! `lanework streams`: copies and kernels in sequence, and overlapped.

use crate::args::StreamsArgs;
use lanework::{Backend, Device};
use lanework_lab::{StreamsRecord, StreamsRequest, overlap};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, print, print_json, thousands};
use lanework_terminal::progress::Progress;
use lanework_terminal::screen::width;

/// Maximum width of the timeline, and the width of its labels.
const WIDTH: usize = 96;
const BESIDE: usize = 12;

/// Runs and verifies both, and draws the timeline of the overlapped run.
///
/// # Errors
/// A request without chunks, an unknown device, or a wrong result.
pub fn run(args: &StreamsArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    let (size, steps) = match device.backend() {
        Backend::Cuda => (1 << 26, 2000),
        Backend::Emulator => (1 << 16, 20),
    };
    let request = StreamsRequest {
        elements: args.size.unwrap_or(size) as usize,
        chunks: args.chunks as usize,
        streams: args.streams as usize,
        steps: args.steps.unwrap_or(steps),
        seed: args.seed,
    };
    let record = {
        let progress = Progress::new("running");
        overlap(&device, &request, &mut |what| progress.say(what))?
    };
    if args.json {
        print_json(&record)?;
    } else {
        print(&describe(&record))?;
    }
    match record.verified {
        true => Ok(()),
        false => Err(Failure::Check("a result differs from the host's".to_owned())),
    }
}

/// The run as text, with a row per stream.
fn describe(record: &StreamsRecord) -> String {
    let mut text = format!(
        "streams: {} u32 in {} chunks, {} multiply-adds each, on {}: {}\n",
        thousands(record.elements as u64),
        record.chunks,
        record.steps,
        record.device.name,
        if record.verified { "bit-exact" } else { "WRONG" },
    );
    let (Some(serial), Some(overlapped)) = (record.serial_ns, record.overlapped_ns) else {
        text.push_str(
            "The emulator does not model time: it ran every copy and kernel in order, at once.\n",
        );
        return text;
    };
    text.push_str(&format!(
        "one stream {}, {} streams {}: {:.2}x\n\n",
        duration(serial),
        record.streams,
        duration(overlapped),
        serial / overlapped
    ));
    let most = width().map_or(WIDTH, |columns| columns.saturating_sub(BESIDE).clamp(16, WIDTH));
    for stream in 0..record.streams {
        let mut row = vec![' '; most];
        for span in record.timeline.iter().filter(|span| span.stream == stream) {
            let column = |ns: f64| ((ns / overlapped * most as f64) as usize).min(most - 1);
            let letter = match span.what {
                "upload" => '>',
                "kernel" => char::from_digit(span.chunk as u32 % 36, 36).unwrap_or('#'),
                _ => '<',
            };
            row[column(span.start_ns)..=column(span.end_ns)].fill(letter);
        }
        text.push_str(&format!("stream {stream:<2} |{}|\n", row.into_iter().collect::<String>()));
    }
    text.push_str(&format!(
        "           0{:>width$}\n> upload, < download, a digit: the kernel of that chunk\n",
        duration(overlapped),
        width = most - 1
    ));
    text
}

//! One rung, profiled on the emulator for its page.

use super::{header, listing, sass};
use crate::findings::sources;
use lanework::emulator::{Blocks, Keep, TraceConfig};
use lanework::report::pictures::{cost, grid};
use lanework::report::{self, By, Machine, ProfileRecord, first_of_each, pattern};
use lanework::{Device, Job, Prepared};
use lanework_lab::Case;
use lanework_ladders::RungInfo;
use lanework_pages::record::{Access, Cost, Kernel, Picture, Profile, Source};
use lanework_terminal::failure::Failure;

/// Lines whose accesses are drawn, accesses of a line, and rows of a drawing.
const LINES: usize = 3;
const ACCESSES: usize = 4;
const ROWS: usize = 32;
/// The most accesses of those lines that are kept.
const TOUCHES: usize = 1 << 14;

/// The page of a rung; `None` if it does not run, is wrong, or is not a single kernel.
///
/// # Errors
/// If the device fails.
pub fn kernel(
    ladder: &str,
    rung: &RungInfo,
    case: &dyn Case,
    device: &Device,
    machine: &Machine,
) -> Result<Option<Kernel>, Failure> {
    if case.skips(rung.name, device).is_some() {
        return Ok(None);
    }
    let mut trial = case.trial(rung.name, device)?;
    trial.job()?.launch()?;
    if trial.check().is_err() {
        return Ok(None);
    }
    trial.poison()?;
    let Job::Kernel(mut prepared) = trial.job()? else { return Ok(None) };
    let (by_line, by_ptx) = profiles(&mut prepared, machine)?;
    let text = prepared.module().to_string();
    let extents: Vec<String> =
        case.extents().iter().map(|(_, extent)| extent.to_string()).collect();
    let ptx = listing::ptx(&text, &by_line, &by_ptx);
    Ok(Some(Kernel {
        ladder: ladder.to_owned(),
        name: rung.name.to_owned(),
        experiment: rung.experiment.to_owned(),
        problem: format!("{} {}", extents.join(" × "), case.element()),
        header: Some(header(rung)),
        sources: files(&by_line),
        pictures: pictures(&mut prepared, &by_line)?,
        sass: sass::of(&text, &by_line.kernel),
        profile: Some(as_page(&by_line)?),
        ptx: Some(ptx),
    }))
}

/// The profile by lines of the source and by instructions of the PTX, of one run.
fn profiles(
    prepared: &mut Prepared<'_>,
    machine: &Machine,
) -> Result<(ProfileRecord, ProfileRecord), Failure> {
    let profile = prepared.profile(Blocks::All)?;
    let counted = profile.counted();
    let waits = prepared.blocks_may_wait();
    let extras = report::extras(&counted, machine, waits, &mut |blocks, wanted| {
        prepared.trace(blocks, wanted)
    })?;
    let by_line = report::record(&counted, extras.clone(), By::Source, machine);
    Ok((by_line, report::record(&counted, extras, By::Ptx, machine)))
}

/// A profile as the report takes it.
fn as_page(record: &ProfileRecord) -> Result<Profile, Failure> {
    let value = serde_json::to_value(record).and_then(serde_json::from_value);
    value.map_err(|error| Failure::Check(format!("the profile cannot be kept: {error}")))
}

/// The files of a profile's lines, the one with the most weight first.
fn files(record: &ProfileRecord) -> Vec<Source> {
    let mut weights: Vec<(&str, f64)> = Vec::new();
    for line in &record.lines {
        let Some(file) = line.file.as_deref() else { continue };
        match weights.iter_mut().find(|(known, _)| *known == file) {
            Some((_, weight)) => *weight += line.share,
            None => weights.push((file, line.share)),
        }
    }
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    let sources = sources();
    let of =
        |(file, _): (&str, f64)| Some(Source { file: file.to_owned(), text: sources.read(file)? });
    weights.into_iter().filter_map(of).collect()
}

/// Accesses of the first warp of the first block, at the most expensive lines.
fn pictures(prepared: &mut Prepared<'_>, record: &ProfileRecord) -> Result<Vec<Picture>, Failure> {
    let accesses = |line: &&lanework::report::LineRecord| {
        line.counters.sectors() + line.counters.wavefronts() > 0
    };
    let mut lines: Vec<_> = record.lines.iter().filter(accesses).collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    lines.truncate(LINES);
    lines.sort_by_key(|line| line.line);
    let blocks = match prepared.blocks_may_wait() {
        true => Blocks::All,
        false => Blocks::Range { first: 0, count: 1 },
    };
    let sources = sources();
    let mut found = Vec::new();
    for line in lines {
        let wanted = TraceConfig {
            accesses: Keep::Of(line.instructions.clone()),
            most: TOUCHES,
            only: Some(0..1),
            ..TraceConfig::default()
        };
        let trace = prepared.trace(blocks, wanted)?;
        let mut shown = first_of_each(&trace.touches, 0);
        shown.truncate(ACCESSES);
        let access = |touch: &lanework::emulator::TracedAccess| {
            let cost = cost(touch);
            Access {
                space: touch.space.name().to_owned(),
                kind: touch.kind.name().to_owned(),
                bytes: touch.bytes,
                lanes: touch.mask.count_ones(),
                pattern: pattern(touch),
                cost: Cost { count: cost.count, optimal: cost.best },
                drawing: grid(touch, ROWS).unwrap_or_default(),
            }
        };
        if !shown.is_empty() {
            found.push(Picture {
                file: line.file.clone(),
                line: line.line,
                code: sources.line(line.file.as_deref(), line.line),
                warp: [0, 0],
                accesses: shown.iter().map(access).collect(),
            });
        }
    }
    Ok(found)
}

//! Gathers the data of a report on rungs: stories, sources, PTX and machine code with counters by line, pictures of
//! their accesses.

mod machine_code;

use crate::findings::sources;
use crate::tables::predicted_registers;
use lanework::emulator::{Blocks, Keep, TraceConfig};
use lanework::report::pictures::{cost, grid, grouped};
use lanework::report::{self, By, Machine, ProfileRecord, first_of_each, pattern};
use lanework::{Device, Job};
use lanework_lab::timing::utc_now;
use lanework_lab::{Case, Gpu, Specs, Subject, specs};
use lanework_ladders::{Ladder, Language, RungInfo};
use lanework_pages::Report;
use lanework_pages::record::{
    Access, Ceilings, Cost, Header, Kernel, Line, Listing, Picture, Profile, Source, Story,
};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{note, print, write};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// The story of a ladder.
pub fn story(ladder: &Ladder) -> Story {
    Story {
        name: ladder.name.to_owned(),
        title: ladder.title.to_owned(),
        text: ladder.story.map(str::to_owned),
    }
}

/// The header of a rung in both languages.
fn header(rung: &RungInfo) -> [Header; 2] {
    [Language::English, Language::Chinese].map(|language| {
        let lanework_ladders::Header { idea, predicts, costs } = rung.header(language);
        Header { idea, predicts, costs }
    })
}

/// A kernel with its predicted time, from the JSON form of a prediction.
pub fn with_prediction(kernel: Kernel, predicted: Option<serde_json::Value>) -> Kernel {
    Kernel { predicted: predicted.and_then(|one| serde_json::from_value(one).ok()), ..kernel }
}

/// Writes the report on a user's kernels. Their results were not compared with a reference.
///
/// # Errors
/// If the file cannot be written.
pub fn write_own(page: &Path, kernels: Vec<Kernel>, gpu: &str) -> Outcome {
    let report = Report {
        taken: utc_now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        chinese: lanework_terminal::words::are_chinese(),
        kernels,
        ceilings: ceilings(specs(), gpu).into_iter().collect(),
        ..Report::default()
    };
    let html = report.html();
    write(page, &html)?;
    print(&format!(
        "the report is in {}: {} kB, no network needed\n",
        page.display(),
        html.len().div_ceil(1000)
    ))
}

/// Opens a file in the browser.
///
/// # Errors
/// Never; if no program can open it, a note says so.
pub fn open(path: &Path) -> Outcome {
    let programs: &[(&str, &[&str])] = match std::env::consts::OS {
        "macos" => &[("open", &[])],
        "windows" => &[("cmd", &["/C", "start", ""])],
        _ => &[("xdg-open", &[]), ("wslview", &[])],
    };
    let started = programs.iter().any(|(program, options)| {
        let mut command = Command::new(program);
        command.args(*options).arg(path).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    });
    if !started {
        note(&format!("no program opens HTML files here; open {} yourself", path.display()));
    }
    Ok(())
}

/// The nominal ceilings of the GPU of this name; `None` if it is not in the table.
pub fn ceilings(specs: &Specs, device: &str) -> Option<Ceilings> {
    let Gpu { bandwidth_gb_s, fp32_tflops, bf16_tflops, source, .. } = specs.gpu(device)?;
    Some(Ceilings {
        gpu: device.to_owned(),
        bandwidth: *bandwidth_gb_s,
        fp32: 1000.0 * fp32_tflops,
        tensor: bf16_tflops.map(|rate| 1000.0 * rate),
        source: source.clone(),
        ..Ceilings::default()
    })
}

/// Maximum numbers of lines whose accesses are drawn, of accesses per line, and of rows per drawing.
const LINES: usize = 3;
const ACCESSES: usize = 4;
const ROWS: usize = 32;

/// Maximum number of accesses of those lines that are kept.
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
    let text = prepared.module().to_string();
    let found = of_subject(&mut prepared, rung.name, &text, machine, None)?;
    let extents: Vec<String> =
        case.extents().iter().map(|(_, extent)| extent.to_string()).collect();
    Ok(Some(Kernel {
        ladder: ladder.to_owned(),
        experiment: rung.experiment.to_owned(),
        problem: format!("{} {}", extents.join(" × "), case.element()),
        header: Some(header(rung)),
        ..found
    }))
}

/// The page of a kernel that has this PTX.
///
/// # Errors
/// If the device fails.
pub fn of_subject(
    subject: &mut dyn Subject,
    name: &str,
    text: &str,
    machine: &Machine,
    predicted: Option<&Value>,
) -> Result<Kernel, Failure> {
    let (mut by_line, mut by_ptx) = profiles(subject, machine)?;
    if let Some((registers, estimated)) = predicted.and_then(predicted_registers) {
        for record in [&mut by_line, &mut by_ptx] {
            machine.assign_registers(&mut record.resources, registers, estimated);
        }
    }
    let pictures = pictures(subject, &by_line)?;
    Ok(Kernel { pictures, ..of_profile(name, text, &by_line, &by_ptx)? })
}

/// The page of a profiled kernel that has this PTX.
///
/// # Errors
/// If the profile has no JSON form.
pub fn of_profile(
    name: &str,
    text: &str,
    by_line: &ProfileRecord,
    by_ptx: &ProfileRecord,
) -> Result<Kernel, Failure> {
    Ok(Kernel {
        name: name.to_owned(),
        sources: files(by_line),
        sass: machine_code::of(text, &by_line.kernel),
        profile: Some(as_page(by_line)?),
        ptx: Some(ptx(text, by_line, by_ptx)),
        ..Kernel::default()
    })
}

/// The profile by lines of the source and by instructions of the PTX, of one run.
fn profiles(
    subject: &mut dyn Subject,
    machine: &Machine,
) -> Result<(ProfileRecord, ProfileRecord), Failure> {
    let profile = subject.profile(Blocks::All)?;
    let counted = profile.counted();
    let waits = subject.waits();
    let extras = report::extras(&counted, machine, waits, &mut |blocks, wanted| {
        subject.trace(blocks, wanted)
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
fn pictures(subject: &mut dyn Subject, record: &ProfileRecord) -> Result<Vec<Picture>, Failure> {
    let accesses = |line: &&lanework::report::LineRecord| {
        line.counters.sectors() + line.counters.wavefronts() > 0
    };
    let mut lines: Vec<_> = record.lines.iter().filter(accesses).collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    lines.truncate(LINES);
    lines.sort_by_key(|line| line.line);
    let blocks = match subject.waits() {
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
        let trace = subject.trace(blocks, wanted)?;
        let all = first_of_each(&trace.touches, 0);
        let mut shown: Vec<_> = grouped(&all).into_iter().map(|(touch, _)| touch).collect();
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
                accesses: shown.into_iter().map(access).collect(),
            });
        }
    }
    Ok(found)
}

/// The PTX with the counts of `by_ptx`, and the lines of the source that `by_line` knows.
pub fn ptx(text: &str, by_line: &ProfileRecord, by_ptx: &ProfileRecord) -> Listing {
    let places = instructions(text, &by_ptx.kernel);
    let mut lines = Vec::new();
    for line in &by_ptx.lines {
        let at = |(number, name): (&u32, &String)| {
            let (line, opcode) = places.get(*number as usize)?;
            (opcode == name).then_some(*line)
        };
        let found: Option<Vec<u32>> = line.instructions.iter().zip(&line.names).map(at).collect();
        let value = serde_json::to_value(line).and_then(serde_json::from_value::<Line>);
        match (found.as_deref(), value) {
            (Some([first, ..]), Ok(counted)) => lines.push(Line { line: *first, ..counted }),
            // A different name: the text belongs to other instructions.
            _ => return Listing { text: text.to_owned(), ..Listing::default() },
        }
    }
    let mut source = BTreeMap::new();
    for line in &by_line.lines {
        let Some(file) = &line.file else { continue };
        for number in &line.instructions {
            if let Some((at, _)) = places.get(*number as usize) {
                source.insert(*at, (file.clone(), line.line));
            }
        }
    }
    Listing { text: text.to_owned(), lines, source }
}

/// The line and the opcode of each instruction in the body of an entry.
fn instructions(text: &str, entry: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut depth = 0i32;
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default().trim();
        if !inside {
            let named = || code.split([' ', '(']).any(|word| word == entry);
            inside = code.contains(".entry") && named();
            continue;
        }
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        if depth <= 0 && code.starts_with('}') {
            break;
        }
        if let Some(opcode) = opcode(code) {
            found.push((index as u32 + 1, opcode.to_owned()));
        }
    }
    found
}

/// The opcode of a statement, if it is an instruction.
fn opcode(code: &str) -> Option<&str> {
    let code = match code.split_once(' ') {
        Some((guard, rest)) if guard.starts_with('@') => rest.trim_start(),
        _ => code,
    };
    let statement = code.ends_with(';') && code.starts_with(|c: char| c.is_ascii_lowercase());
    statement.then(|| code.split([' ', '\t', ';']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.visible .entry other(\n)\n{\n\tret;\n}\n.visible .entry k(\n\t.param .u64 p\n)\n{\n\t.reg .b32 %r<3>;\n\t.loc 1 2 3\n\tmov.u32 %r1, %tid.x;\nL1:\n\t@%p1 bra L1;\n\t{ .reg .b32 x; }\n\tret;\n}\n";

    #[test]
    fn instructions_are_found_in_the_text_of_their_entry() {
        let found = instructions(TEXT, "k");
        let expected = [(13, "mov.u32"), (15, "bra"), (17, "ret")];
        assert_eq!(found, expected.map(|(line, name)| (line, name.to_owned())));
        assert_eq!(instructions(TEXT, "none"), []);
    }
}

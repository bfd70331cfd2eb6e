//! Gathers the data of a report on rungs: stories, sources, PTX and machine code with counters by line, pictures of
//! their accesses.
//!
//! NVIDIA's tools give the machine code if they are installed: ptxas assembles the PTX and reports the registers,
//! nvdisasm or cuobjdump lists the code. The emulator does not need them.

use crate::findings::sources;
use lanework::emulator::{Blocks, Keep, TraceConfig};
use lanework::report::pictures::{cost, grid};
use lanework::report::{self, By, Machine, ProfileRecord, first_of_each, pattern};
use lanework::{Device, Job};
use lanework_lab::{Case, Gpu, Specs, Subject};
use lanework_ladders::{Ladder, Language, RungInfo};
use lanework_pages::record::{
    Access, Ceilings, Cost, Header, Kernel, Line, Listing, Picture, Profile, Sass, Source, Story,
};
use lanework_terminal::failure::Failure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The most lines whose accesses are drawn, accesses of a line, and rows of a drawing.
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
    let text = prepared.module().to_string();
    let found = of_subject(&mut prepared, rung.name, &text, machine)?;
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
) -> Result<Kernel, Failure> {
    let (by_line, by_ptx) = profiles(subject, machine)?;
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
        sass: of(text, &by_line.kernel),
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

/// The machine code of an entry, or the reason for its absence.
pub fn of(ptx: &str, entry: &str) -> Sass {
    match assembled(ptx, entry) {
        Ok(sass) => sass,
        Err((why, detail)) => Sass { missing: why.to_owned(), note: detail, ..Sass::default() },
    }
}

/// A tool of the CUDA toolkit: by its variable, on the PATH, or where toolkits are installed.
fn tool(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os(name.to_uppercase()).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    let folders = std::env::split_paths(&path)
        .chain(homes.map(|home| Path::new(&home).join("bin")))
        .chain([PathBuf::from("/usr/local/cuda/bin")]);
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    given.into_iter().chain(folders.map(|folder| folder.join(&file))).find(|path| path.is_file())
}

/// The target that the PTX names, such as `sm_90a`.
fn target(ptx: &str) -> &str {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".target"));
    line.and_then(|line| line.split([',', ' ']).find(|word| !word.is_empty())).unwrap_or("sm_90")
}

/// The oldest architecture that current versions of ptxas support. PTX for older ones runs there, too.
const OLDEST: u32 = 75;

/// The architecture to assemble for.
fn architecture(target: &str) -> String {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(number) if number < OLDEST || number == 80 => "sm_90".to_owned(),
        _ => target.to_owned(),
    }
}

/// The machine code; or the report's text for its absence, and details.
fn assembled(ptx: &str, entry: &str) -> Result<Sass, (&'static str, String)> {
    let failed = |error: std::io::Error| ("no-ptxas", error.to_string());
    let ptxas = tool("ptxas").ok_or(("no-ptxas", String::new()))?;
    let folder = tempfile::tempdir().map_err(failed)?;
    let (source, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    std::fs::write(&source, ptx).map_err(failed)?;
    let target = architecture(target(ptx));
    let run = Command::new(&ptxas)
        .args(["-v", "-lineinfo", &format!("-arch={target}"), "-o"])
        .args([&cubin, &source])
        .output()
        .map_err(failed)?;
    let said = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        let first = said.lines().find(|line| line.contains("error")).unwrap_or_default();
        return Err(("refused", first.to_owned()));
    }
    let (registers, spills) = resources(&said, entry);
    let bare = Sass { target: target.clone(), registers, spills, ..Sass::default() };
    let listers: [(&str, &[&str]); 2] = [("nvdisasm", &["-c", "-g"]), ("cuobjdump", &["-sass"])];
    for (name, options) in listers {
        let Some(path) = tool(name) else { continue };
        let run = Command::new(path).args(options).arg(&cubin).output();
        let Some(run) = run.ok().filter(|run| run.status.success()) else { continue };
        let (text, source) = listing(&String::from_utf8_lossy(&run.stdout), entry);
        return Ok(Sass { text: Some(text), source, note: format!("ptxas, {name}"), ..bare });
    }
    Ok(Sass { missing: "no-lister".to_owned(), ..bare })
}

/// Registers, and bytes of spill stores and loads, from the output of `ptxas -v` for an entry.
fn resources(said: &str, entry: &str) -> (Option<u32>, Option<[u32; 2]>) {
    let about = said
        .split("Compiling entry function")
        .find(|part| part.trim_start().trim_start_matches('\'').starts_with(&format!("{entry}'")));
    let Some(about) = about else { return (None, None) };
    let before = |what: &str| {
        let at = about.find(what)?;
        about[..at].split_whitespace().next_back()?.parse::<u32>().ok()
    };
    let registers = before("registers");
    let spills = before("bytes spill stores").zip(before("bytes spill loads"));
    (registers, spills.map(|(stores, loads)| [stores, loads]))
}

/// The instructions of an entry without addresses in comments, and the source line of each, if the listing has it:
/// nvdisasm writes `//## File "k.rs", line 7` before the instructions of that line.
fn listing(text: &str, entry: &str) -> (String, BTreeMap<u32, (String, u32)>) {
    let section = format!(".text.{entry}:");
    let function = format!("Function : {entry}");
    let mut out = String::new();
    let mut source = BTreeMap::new();
    let mut at: Option<(String, u32)> = None;
    let mut inside = false;
    let mut number = 0;
    for line in text.lines() {
        let plain = line.trim();
        if plain.starts_with(".text.") || plain.starts_with("Function :") {
            inside = plain == section || plain == function;
            continue;
        }
        if plain.starts_with(".section") || !inside {
            inside &= !plain.starts_with(".section");
            continue;
        }
        if let Some(place) = plain.strip_prefix("//## File ") {
            let mut parts = place.split('"');
            let file = parts.nth(1).unwrap_or_default().to_owned();
            let line = parts.next().and_then(|rest| {
                rest.split_whitespace().find_map(|word| word.trim_matches(',').parse().ok())
            });
            at = line.map(|line| (file, line));
            continue;
        }
        let code = plain.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        let label = plain.starts_with(".L") && plain.ends_with(':');
        let code = match code {
            Some((_, code)) if code.contains(';') => code.split("/*").next().unwrap_or(code).trim(),
            None if label => plain,
            _ => continue,
        };
        number += 1;
        if !label && let Some(at) = &at {
            source.insert(number, at.clone());
        }
        out.push_str(if label { "" } else { "    " });
        out.push_str(code);
        out.push('\n');
    }
    (out, source)
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

    #[test]
    fn what_ptxas_says_of_an_entry_is_read() {
        let said = "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'other' for 'sm_90'\n\
            ptxas info    : Used 8 registers\nptxas info    : Compiling entry function 'k' for 'sm_90'\n\
            ptxas info    : Function properties for k\n    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n\
            ptxas info    : Used 255 registers, used 1 barriers, 4224 bytes smem\n";
        assert_eq!(resources(said, "k"), (Some(255), Some([12, 20])));
        assert_eq!(resources(said, "other").0, Some(8));
        assert_eq!(resources(said, "none"), (None, None));
    }

    #[test]
    fn a_listing_keeps_instructions_and_their_source_lines() {
        let text = "\t.section .text.k,\"ax\"\n.text.k:\n\t//## File \"a/k.rs\", line 19\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n.L_x_0:\n        /*0010*/                   EXIT ;\n\t.section .nv.info\n        /*0000*/ NOP ;\n";
        let (listed, source) = listing(text, "k");
        assert_eq!(listed, "    LDC R1, c[0x0][0x28] ;\n.L_x_0:\n    EXIT ;\n");
        assert_eq!(source.get(&1), Some(&("a/k.rs".to_owned(), 19)));
        assert_eq!((source.get(&2), source.len()), (None, 2));
        let dumped = "\t\tFunction : k\n\t.headerflags\t@\"EF\"\n        /*0000*/   MOV R1, R2 ;   /* 0x0028 */\n                                  /* 0x0029 */\n";
        assert_eq!(listing(dumped, "k").0, "    MOV R1, R2 ;\n");
    }

    #[test]
    fn the_target_is_the_ptx_s_own_or_one_that_ptxas_still_knows() {
        assert_eq!(target(".version 8.0\n.target sm_90a, debug\n"), "sm_90a");
        assert_eq!(
            (architecture("sm_50").as_str(), architecture("sm_90a").as_str()),
            ("sm_90", "sm_90a")
        );
    }
}

//! Random kernels of each class of bugs, half of them with one planted defect: a correct kernel has no finding, and
//! a defect has a finding of the right kind. If the help names a change of the code, the test makes
//! that change, and the finding must disappear.

mod classes;
mod flags;
mod memory;

use classes::{CLASSES, Generated};
use lanework::{Device, Dim3, Error, PtxArg, PtxShape, Report, ReportKind};

/// A random number generator (xorshift64*).
pub struct KernelRandom(u64);

impl KernelRandom {
    /// The generator of a seed.
    pub fn new(seed: u64) -> KernelRandom {
        KernelRandom(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % u64::from(end)) as u32
    }

    /// A random element.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}

/// The findings of a kernel on a buffer of zeros.
fn findings(kernel: &Generated, text: &str) -> Result<Vec<Report>, String> {
    let device = Device::emulator_limited(Some(1 << 22)).sanitized();
    let wrong = |why: Error| format!("{}: {why}\n{text}", kernel.name);
    let module = device.load_ptx(text).map_err(wrong)?;
    let data = device.zeros::<u8>(4096).map_err(wrong)?;
    let shape = PtxShape {
        grid: Dim3::from(kernel.blocks),
        block: Dim3::from(kernel.threads),
        dynamic_shared: 0,
        cluster: None,
        cooperative: false,
    };
    // SAFETY: on the emulator every access is checked.
    match unsafe { module.launch("k", shape, &[PtxArg::Memory(&data)]) } {
        Ok(_) => Ok(Vec::new()),
        Err(Error::Sanitizer(reports)) => Ok(reports.found),
        Err(other) => Err(wrong(other)),
    }
}

/// The number after a word.
fn number_after(text: &str, word: &str) -> Option<usize> {
    let rest = &text[text.find(word)? + word.len()..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// The line numbers that a help text names.
fn lines_in(help: &str) -> Vec<usize> {
    help.match_indices("line ").filter_map(|(at, _)| number_after(&help[at..], "line ")).collect()
}

/// Makes the change that a help text names; `None` if a program cannot make it.
fn patched(text: &str, help: &str) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let named = lines_in(help);
    let barrier = match () {
        () if help.contains("`__syncthreads()`") => Some("bar.sync 0;"),
        () if help.contains("`__syncwarp()`") => Some("bar.warp.sync 0xffffffff;"),
        () => None,
    };
    if let (Some(barrier), [one, other]) = (barrier, &named[..]) {
        let after = help.contains("at the end of the loop");
        let at = if after { *one } else { one.max(other) - 1 };
        lines.insert(at, barrier.to_owned());
    } else if help.starts_with("put a fence") && help.contains("after the read of the flag") {
        lines.insert(*named.first()?, "fence.acq_rel.gpu;".to_owned());
    } else if help.starts_with("put a fence") || help.starts_with("widen the fence") {
        let fence = "fence.acq_rel.gpu;".to_owned();
        let (writer, reader) = help.split_once("in the other thread, ").unwrap_or((help, ""));
        let (writers, readers) = (lines_in(writer), lines_in(reader));
        let mut places = Vec::new();
        match writer.starts_with("put") {
            true => places.push(writers.first()? - 1),
            false => lines[writers.first()? - 1] = fence.clone(),
        }
        match (reader.starts_with("put one after"), readers.first()) {
            (_, None) => {}
            (true, Some(read)) => places.push(*read),
            (false, Some(narrow)) => lines[narrow - 1] = fence.clone(),
        }
        places.sort_unstable();
        places.iter().rev().for_each(|place| lines.insert(*place, fence.clone()));
    } else if help.starts_with("widen the scope") {
        for line in named {
            lines[line - 1] = lines[line - 1].replace(".cta", ".gpu");
        }
    } else if help.starts_with("make the read") {
        let [read, write] = named[..] else { return None };
        let place = lines[write - 1].split(['[', ']']).nth(1)?.to_owned();
        lines[read - 1] = String::new();
        lines[write - 1] = format!("red.global.add.u32 [{place}], 1;");
    } else if help.starts_with("announce the bytes") {
        let more = number_after(help, "copy: ")?;
        let line = lines.iter_mut().find(|line| line.contains(".arrive.expect_tx"))?;
        let (start, bytes) = line.rsplit_once(", ")?;
        let bytes: usize = bytes.trim_end_matches(';').parse().ok()?;
        *line = format!("{start}, {};", bytes + more);
    } else {
        return None;
    }
    Some(lines.join("\n"))
}

/// Checks the kernels of these seeds of every class. Returns the numbers of correct kernels, of defects, and of
/// defects that the help repaired.
fn check(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let (mut wrong, mut counts) = (Vec::new(), [0; 3]);
    for (number, class) in CLASSES.iter().enumerate() {
        for seed in seeds.clone() {
            let mut random = KernelRandom::new(seed << 8 | number as u64);
            let kernel = class(&mut random, seed % 2 == 1);
            let found = match findings(&kernel, &kernel.text) {
                Ok(found) => found,
                Err(why) => {
                    wrong.push(format!("seed {seed}: {why}"));
                    continue;
                }
            };
            let shown = || found.iter().map(|one| format!("{one}\n")).collect::<String>();
            let Some(kind) = kernel.defect else {
                counts[0] += 1;
                if !found.is_empty() {
                    let text = &kernel.text;
                    wrong.push(format!("{} {seed}: right\n{}{text}", kernel.name, shown()));
                }
                continue;
            };
            counts[1] += 1;
            let Some(report) = found.iter().find(|report| report.kind == kind) else {
                let text = &kernel.text;
                wrong.push(format!("{} {seed}: no {kind}\n{}{text}", kernel.name, shown()));
                continue;
            };
            let Some(text) = kernel.repairable.then(|| patched(&kernel.text, &report.help)) else {
                continue;
            };
            let again = text.as_ref().map(|text| findings(&kernel, text));
            match again {
                Some(Ok(found)) if found.is_empty() => counts[2] += 1,
                other => wrong.push(format!(
                    "{} {seed}: the advice does not repair it: {}\n{other:?}\n{}",
                    kernel.name,
                    report.help,
                    text.as_deref().unwrap_or(&kernel.text)
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    counts
}

#[test]
fn planted_defects_are_found_and_right_kernels_are_not_flagged() {
    let [right, defects, repaired] = check(0..24);
    println!("{right} right kernels, {defects} defects, {repaired} repaired by the advice");
    assert!(right >= 100 && defects >= 100 && repaired >= 40, "{right} {defects} {repaired}");
}

/// A kernel of 32 threads writes one of the random parts of a pool. The defect: it writes outside
/// of its part, or the part was freed.
fn check_pools(seeds: std::ops::Range<u64>) {
    let text = ".version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 first) {
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [data];
ld.param.u32 %r1, [first];
mov.u32 %r2, %tid.x;
add.u32 %r1, %r1, %r2;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], %r2;
ret;
}";
    let shape = PtxShape {
        grid: Dim3::from(1),
        block: Dim3::from(32),
        dynamic_shared: 0,
        cluster: None,
        cooperative: false,
    };
    for seed in seeds {
        let mut random = KernelRandom::new(seed);
        let device = Device::emulator_limited(Some(1 << 22)).sanitized();
        let module = device.load_ptx(text).expect("a module");
        let data = device.zeros::<u8>(1 << 16).expect("memory");
        let (mut at, mut parts) = (0, Vec::new());
        for _ in 0..3 + random.below(5) {
            // An access past a part is found if it is in no other part.
            at += 32 + random.below(3) * 64;
            let words = 32 + random.below(64);
            parts.push((at, words));
            at += words;
        }
        let address = |word: u32| data.address() + 4 * u64::from(word);
        let (chosen, freed) = (random.below(3) as usize, 1 + random.below(2) as usize);
        let freed = (chosen + freed) % 3;
        device
            .with_pools(|pools| {
                pools.add_pool(address(0), 1 << 16);
                parts.iter().for_each(|(at, words)| pools.add(address(*at), 4 * u64::from(*words)));
                pools.free(address(parts[freed].0));
            })
            .expect("an emulator");
        let (at, words) = parts[chosen];
        let expected = match seed % 4 {
            1 => Some((ReportKind::OutOfBounds, at + words - 31 + random.below(31))),
            3 => Some((ReportKind::UseAfterFree, parts[freed].0)),
            _ => None,
        };
        let first = expected.map_or(at + random.below(words - 31), |(_, first)| first);
        let arguments = [PtxArg::Memory(&data), PtxArg::Bytes(first.to_le_bytes().to_vec())];
        // SAFETY: on the emulator every access is checked.
        let found = match unsafe { module.launch("k", shape, &arguments) } {
            Ok(_) => Vec::new(),
            Err(Error::Sanitizer(reports)) => reports.found,
            Err(other) => panic!("{seed}: {other}"),
        };
        let kinds: Vec<ReportKind> = found.iter().map(|one| one.kind).collect();
        let right = match expected {
            // The lanes past a part may reach one that was freed.
            Some((kind, _)) => kinds.contains(&kind) || kinds == [ReportKind::UseAfterFree],
            None => kinds.is_empty(),
        };
        assert!(right, "{seed}: {expected:?} of {parts:?}, {freed} freed: {found:?}");
    }
}

#[test]
fn kernels_that_leave_their_part_of_a_pool_are_found() {
    check_pools(0..40);
}

#[test]
#[ignore = "slow: thousands of kernels"]
fn many_planted_defects_are_found() {
    check_pools(40..1040);
    check(24..1024);
}

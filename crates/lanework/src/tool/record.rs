//! What a tool records of a program, and how records are read from a folder.

use super::codec::{Field, fields};
use crate::{Counters, Profile};
use lanework_report::{CacheRecord, Extras, InstructionProfile, Resources};
use lanework_sim::sanitize::Report;
use lanework_sim::{Fault, Place, Touch};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How the file of a process begins: what it is, and the version that wrote it.
pub(super) const MAGIC: &str = concat!("lanework records ", env!("CARGO_PKG_VERSION"), "\n");

/// One thing that a process did.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The process itself, first in its file.
    Process(Process),
    /// The PTX of a kernel: its name, a number within the process, and the text.
    Module(String, u64, String),
    /// A launch, before it runs.
    Launch(Launched),
    /// What a launch did wrong.
    Findings(Box<Findings>),
    /// The counts of a launch.
    Profile(Box<Profiled>),
    /// What went on on the host's clock, for a timeline.
    Activity(Box<Activity>),
    /// The accesses of one warp at one line.
    Picture(Box<Picture>),
    /// Something that users of the tool should know.
    Note(String),
}

/// A process of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Its command line.
    pub command: Vec<String>,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The kernel.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

/// What a launch did wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The kernel.
    pub kernel: String,
    /// The number of its module, where it was text.
    pub module: Option<u64>,
    /// What was found.
    pub found: Vec<Report>,
    /// What stopped it early.
    pub stopped: Option<Fault>,
}

/// The counts of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Profiled {
    /// The counts.
    pub profile: Profile,
    /// The number of the kernel's module, where it was text.
    pub module: Option<u64>,
    /// The first access of each instruction; of the first launch of each kernel and shape.
    pub touches: Vec<Touch>,
    /// Modelled caches, of the same launch.
    pub caches: Option<CacheRecord>,
}

/// Something that took time on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// What: a kernel's name, `upload`, `download`.
    pub what: String,
    /// The thread of the host.
    pub thread: u64,
    /// Microseconds since the epoch at its start.
    pub start_us: u64,
    /// Microseconds that it took.
    pub took_us: u64,
    /// Bytes, of a copy.
    pub bytes: u64,
    /// Counts, of a launch.
    pub launch: Option<(Launched, Counters)>,
}

/// The accesses of one warp at one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The counts of the launch.
    pub profile: Profile,
    /// The number of the kernel's module, where it was text.
    pub module: Option<u64>,
    /// Why there is nothing to draw, and what to do.
    pub refused: Option<(String, String)>,
    /// The file of the line; `None` for the PTX.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// Its instructions.
    pub instructions: Vec<u32>,
    /// Their first accesses by the warp.
    pub touches: Vec<Touch>,
    /// The steps of the block: instructions with their active lanes.
    pub steps: Vec<(Place, u32)>,
}

fields! {
    Process { id, command }
    Launched { kernel, grid, block }
    Findings { kernel, module, found, stopped }
    Profiled { profile, module, touches, caches }
    Activity { what, thread, start_us, took_us, bytes, launch }
    Picture { profile, module, refused, file, line, instructions, touches, steps }
}

impl Field for Profile {
    fn put(&self, to: &mut Vec<u8>) {
        self.kernel.put(to);
        self.grid.to_array().put(to);
        self.block.to_array().put(to);
        self.dynamic_shared.put(to);
        self.resources.put(to);
        self.instructions.put(to);
        (self.blocks_run, self.blocks).put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Profile> {
        let kernel = String::take(from)?;
        let [grid, block] = [<[u32; 3]>::take(from)?, <[u32; 3]>::take(from)?];
        let (dynamic_shared, resources) = (u32::take(from)?, Resources::take(from)?);
        let instructions = Vec::<InstructionProfile>::take(from)?;
        let (blocks_run, blocks) = Field::take(from)?;
        let counters = Counters::sum(instructions.iter().map(|one| &one.counters));
        let (grid, block) = (grid.into(), block.into());
        Some(Profile {
            kernel,
            grid,
            block,
            dynamic_shared,
            resources,
            counters,
            instructions,
            blocks_run,
            blocks,
        })
    }
}

impl Field for Record {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            Record::Process(process) => (0u8, process.clone()).put(to),
            Record::Module(kernel, id, text) => {
                (1u8, (kernel.clone(), (*id, text.clone()))).put(to);
            }
            Record::Launch(launch) => (2u8, launch.clone()).put(to),
            Record::Findings(findings) => (3u8, findings.clone()).put(to),
            Record::Profile(profiled) => (4u8, profiled.clone()).put(to),
            Record::Activity(activity) => (5u8, activity.clone()).put(to),
            Record::Picture(picture) => (6u8, picture.clone()).put(to),
            Record::Note(note) => (7u8, note.clone()).put(to),
        }
    }
    fn take(from: &mut &[u8]) -> Option<Record> {
        Some(match u8::take(from)? {
            0 => Record::Process(Field::take(from)?),
            1 => {
                let (kernel, (id, text)) = Field::take(from)?;
                Record::Module(kernel, id, text)
            }
            2 => Record::Launch(Field::take(from)?),
            3 => Record::Findings(Field::take(from)?),
            4 => Record::Profile(Field::take(from)?),
            5 => Record::Activity(Field::take(from)?),
            6 => Record::Picture(Field::take(from)?),
            7 => Record::Note(Field::take(from)?),
            _ => return None,
        })
    }
}

impl Profiled {
    /// What a report needs beside the counts.
    pub fn extras(&self) -> Extras {
        Extras { touches: self.touches.clone(), caches: self.caches.clone() }
    }
}

/// A record as it lies in a file: its length and its bytes, to be written at once.
pub(super) fn framed(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.put(&mut bytes);
    let mut framed = Vec::with_capacity(bytes.len() + 4);
    bytes.len().put(&mut framed);
    framed.extend(bytes);
    framed
}

/// The records of a file from its start, and where they end; what a killed process left unfinished at its end is not one.
///
/// # Errors
/// In words, where another version wrote it.
fn of_file(bytes: &[u8]) -> Result<(Vec<Record>, usize), String> {
    let Some(rest) = bytes.strip_prefix(MAGIC.as_bytes()) else {
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        return match MAGIC.as_bytes().starts_with(bytes) {
            true => Ok((Vec::new(), 0)),
            false => Err(format!(
                "the program wrote `{}`, and this command reads `{}`",
                String::from_utf8_lossy(&first[..first.len().min(60)]),
                MAGIC.trim_end()
            )),
        };
    };
    let (records, end) = unframed(rest);
    Ok((records, MAGIC.len() + end))
}

/// The whole records at the start of some bytes, and where they end.
fn unframed(bytes: &[u8]) -> (Vec<Record>, usize) {
    let mut records = Vec::new();
    let (mut rest, mut end) = (bytes, 0);
    while let Some(length) = usize::take(&mut rest) {
        let Some((mut whole, after)) = rest.split_at_checked(length) else { break };
        records.extend(Record::take(&mut whole));
        rest = after;
        end = bytes.len() - rest.len();
    }
    (records, end)
}

/// Reads the records of a folder while they are written.
pub struct Reader {
    folder: PathBuf,
    /// How far each file was read.
    read: BTreeMap<PathBuf, usize>,
}

impl Reader {
    /// A reader that has read nothing yet.
    pub fn new(folder: &Path) -> Reader {
        Reader { folder: folder.to_owned(), read: BTreeMap::new() }
    }

    /// What all processes have recorded since the last call.
    ///
    /// # Errors
    /// As [`read`].
    pub fn news(&mut self) -> Result<Vec<Record>, String> {
        let mut news = Vec::new();
        for path in files(&self.folder)? {
            let place = self.read.get(&path).copied().unwrap_or(0);
            let told = |error| cannot_be_read(&path, &error);
            let mut file = File::open(&path).map_err(told)?;
            let mut bytes = Vec::new();
            // What was read is skipped: a suite asks after each of its tests.
            file.seek(SeekFrom::Start(place as u64))
                .and_then(|_| file.read_to_end(&mut bytes))
                .map_err(told)?;
            let (records, end) = match place {
                0 => of_file(&bytes)?,
                _ => {
                    let (records, end) = unframed(&bytes);
                    (records, place + end)
                }
            };
            news.extend(records);
            self.read.insert(path, end);
        }
        Ok(news)
    }
}

fn cannot_be_read(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be read: {error}", path.display())
}

/// The files of a folder, in the order in which their processes began.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| cannot_be_read(folder, &error))?;
    files.sort();
    Ok(files)
}

/// The records of all processes of a folder, a list for each process.
///
/// # Errors
/// In words, where the folder cannot be read, or another version of this library wrote to it.
pub fn read(folder: &Path) -> Result<Vec<Vec<Record>>, String> {
    let bytes = |file: &PathBuf| std::fs::read(file).map_err(|error| cannot_be_read(file, &error));
    let each = files(folder)?.into_iter().map(|file| Ok(of_file(&bytes(&file)?)?.0));
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(records: &[Record]) -> Vec<u8> {
        let mut bytes = MAGIC.as_bytes().to_vec();
        for record in records {
            bytes.extend(framed(record));
        }
        bytes
    }

    fn some() -> Vec<Record> {
        let launch = Launched { kernel: "k".to_owned(), grid: [4, 1, 1], block: [256, 1, 1] };
        vec![
            Record::Process(Process { id: 7, command: vec!["a b".to_owned()] }),
            Record::Launch(launch),
            Record::Note("é\n".to_owned()),
        ]
    }

    #[test]
    fn records_are_read_as_they_were_written_and_an_unfinished_one_is_left_out() {
        let bytes = written(&some());
        assert_eq!(of_file(&bytes), Ok((some(), bytes.len())));
        // Wherever a process was killed, what it had written is there.
        for end in 0..bytes.len() {
            let (found, read) = of_file(&bytes[..end]).expect("no other version");
            assert!(read <= end);
            // What is read later goes on where that ended.
            let (rest, _) = match read {
                0 => of_file(&bytes).expect("no other version"),
                _ => unframed(&bytes[read..]),
            };
            assert_eq!([found.clone(), rest].concat(), some());
            assert!(some().starts_with(&found), "{end}");
            assert!(found.len() < 3);
        }
    }

    #[test]
    fn another_version_is_told() {
        let told = of_file(b"lanework records 0.0.1\n....").expect_err("another version");
        assert!(told.contains("`lanework records 0.0.1`"), "{told}");
    }
}

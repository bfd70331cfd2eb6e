//! Linking while a program runs: `cuLinkCreate` and what follows. What it calls a cubin is the linked PTX, which modules and libraries load.
//!
//! Texts are read when they are added, and what is wrong with one is that call's error; names that are missing or defined twice are the
//! error of `cuLinkComplete`. Both stand in the log that the program gave when it made the linker.

use crate::api::{api, say};
use crate::handles::Handle;
use crate::lock::lock;
use crate::modules::calls::read_file;
use crate::modules::fatbin::Refused;
use crate::modules::jit_options::{JitOptions, Outputs};
use crate::modules::linkable::texts_of;
use crate::pointers::{In, Out, Text};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use lanework::ptx::Linker;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A kind of input (`CUjitInputType`): text, whatever it looks like.
const PTX: i32 = 1;
/// Of a compiler's intermediate form.
const INTERMEDIATE: i32 = 5;

/// A linker of a program.
struct Link {
    outputs: Outputs,
    most_registers: Option<u32>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    linker: Linker,
    spent: Duration,
    /// What was linked, ended by a zero byte; it lives as long as the linker.
    image: Option<Arc<[u8]>>,
}

impl Link {
    /// Adds an input.
    fn add(&self, kind: i32, bytes: &[u8], name: &str, options: JitOptions) -> Result {
        let mut state = lock(&self.state);
        if state.image.is_some() || bytes.is_empty() {
            return Err(Status::InvalidValue);
        }
        let began = Instant::now();
        let name = match name {
            "" => format!("input {}", state.linker.names().count()),
            name => name.to_owned(),
        };
        let added = if kind == INTERMEDIATE {
            let why = "a compiler's intermediate form is not linked\n  = help: compile it to PTX";
            Err((Status::InvalidImage, why.to_owned()))
        } else if kind != PTX && state.linker.add_archive(&name) {
            Ok(())
        } else {
            let most = options.most_registers().or(self.most_registers);
            add_texts(&mut state.linker, kind, bytes, &name, most)
        };
        state.spent += began.elapsed();
        added.map_err(|(status, why)| self.refuse(status, &format!("{name}: {why}")))
    }

    /// Links what was added.
    fn complete(&self) -> Result<Arc<[u8]>> {
        let mut state = lock(&self.state);
        if let Some(done) = &state.image {
            return Ok(done.clone());
        }
        if state.linker.names().next().is_none() {
            return Err(Status::InvalidValue);
        }
        let began = Instant::now();
        let linked = state.linker.link();
        state.spent += began.elapsed();
        let mut image = linked
            .map_err(|error| {
                let why = format!("{}\n  = help: {}", error.message, error.help);
                self.refuse(Status::Unknown, &why)
            })?
            .into_bytes();
        let info = match self.outputs.verbose {
            true => {
                let names: Vec<&str> = state.linker.names().collect();
                format!("info: linked {} to {} bytes of PTX", names.join(", "), image.len())
            }
            false => String::new(),
        };
        self.outputs.write(&info, "");
        self.outputs.write_time(state.spent);
        image.push(0);
        let image: Arc<[u8]> = image.into();
        state.image = Some(image.clone());
        Ok(image)
    }

    /// Says and logs why something was refused.
    fn refuse(&self, status: Status, why: &str) -> Status {
        say("PTX is not linked", &why);
        self.outputs.write("", &format!("error: {why}"));
        status
    }
}

/// Adds the texts of an input; those of an object are numbered.
fn add_texts(
    linker: &mut Linker,
    kind: i32,
    bytes: &[u8],
    name: &str,
    most_registers: Option<u32>,
) -> std::result::Result<(), (Status, String)> {
    let texts = texts_of(bytes).map_err(|refused| {
        let status = match (kind, &refused) {
            (PTX, Refused::Unknown) => Status::InvalidPtx,
            _ => refused.status(),
        };
        (status, refused.to_string())
    })?;
    for (number, text) in texts.iter().enumerate() {
        let name = if texts.len() > 1 { format!("{name}:{number}") } else { name.to_owned() };
        linker
            .add(&name, text, most_registers)
            .map_err(|problems| (Status::InvalidPtx, problems.to_string()))?;
    }
    Ok(())
}

/// Makes a linker and stores its handle.
fn create(options: JitOptions, link: Out<'_, Handle>) -> Result {
    let driver = driver()?;
    if !options.are_whole() || link.is_null() {
        return Err(Status::InvalidValue);
    }
    if !options.have_target() {
        driver.context()?;
    }
    let (outputs, most_registers) = (options.outputs(), options.most_registers());
    let made = Link { outputs, most_registers, state: Mutex::default() };
    link.store(table::<Link>().add(made))
}

/// Adds bytes.
///
/// # Safety
/// They, the name and the options are as C passes them.
unsafe fn add_data(
    link: Handle,
    kind: i32,
    (data, bytes): (In<'_, u8>, usize),
    name: Text<'_>,
    options: JitOptions,
) -> Result {
    driver()?;
    let link = table::<Link>().get(link)?;
    if data.is_null() || !options.are_whole() {
        return Err(Status::InvalidValue);
    }
    let name = if name.is_null() { "" } else { name.get()? };
    // SAFETY: the program passes `data` with its length `bytes`.
    link.add(kind, unsafe { data.slice(bytes) }?, name, options)
}

/// Adds a file.
fn add_file(link: Handle, kind: i32, path: Text<'_>, options: JitOptions) -> Result {
    driver()?;
    let link = table::<Link>().get(link)?;
    if !options.are_whole() {
        return Err(Status::InvalidValue);
    }
    let path = path.get()?;
    link.add(kind, &read_file(path)?, path, options)
}

api! {
    fn cuLinkCreate_v2(count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>, link: Out<'_, Handle>) {
        create(JitOptions { count, names, values }, link)
    }

    fn cuLinkCreate(count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>, link: Out<'_, Handle>) {
        create(JitOptions { count, names, values }, link)
    }

    fn cuLinkAddData_v2(link: Handle, kind: i32, data: In<'_, u8>, bytes: usize, name: Text<'_>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        // SAFETY: `data` and `bytes` are the buffer and its length as the caller passed them.
        unsafe { add_data(link, kind, (data, bytes), name, JitOptions { count, names, values }) }
    }

    fn cuLinkAddData(link: Handle, kind: i32, data: In<'_, u8>, bytes: usize, name: Text<'_>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        // SAFETY: `data` and `bytes` are the buffer and its length as the caller passed them.
        unsafe { add_data(link, kind, (data, bytes), name, JitOptions { count, names, values }) }
    }

    fn cuLinkAddFile_v2(link: Handle, kind: i32, path: Text<'_>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        add_file(link, kind, path, JitOptions { count, names, values })
    }

    fn cuLinkAddFile(link: Handle, kind: i32, path: Text<'_>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        add_file(link, kind, path, JitOptions { count, names, values })
    }

    fn cuLinkComplete(link: Handle, image: Out<'_, *const c_void>, bytes: Out<'_, usize>) {
        driver()?;
        let linked = table::<Link>().get(link)?.complete()?;
        bytes.offer(linked.len());
        image.store(linked.as_ptr().cast())
    }

    fn cuLinkDestroy(link: Handle) {
        driver()?;
        table::<Link>().remove(link).map(drop)
    }
}

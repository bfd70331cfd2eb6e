//! Linking (`cuLink...`): the inputs of a program's linker are linked into one PTX module.

use crate::api::{api, warn};
use crate::modules::fatbin::{FATBIN, ImageError, ptx_of};
use crate::modules::module::read_file;
use crate::modules::{JitOptions, Outputs};
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use lanework::ptx::Linker;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Input type (`CUjitInputType`) for text, regardless of its contents.
const PTX: i32 = 1;
/// Input type for a compiler's intermediate form.
const INTERMEDIATE: i32 = 5;

/// A linker of a program.
struct ProgramLinker {
    outputs: Outputs,
    most_registers: Option<u32>,
    state: Mutex<LinkState>,
}

#[derive(Default)]
struct LinkState {
    linker: Linker,
    spent: Duration,
    /// The linked image, zero-terminated. It lives as long as the linker.
    image: Option<Arc<[u8]>>,
}

impl ProgramLinker {
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
            let why = "a compiler's intermediate code (LTO-IR) cannot be linked\n  = help: compile it to PTX";
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

    /// Links all inputs.
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

    /// Reports and logs why an input is refused.
    fn refuse(&self, status: Status, why: &str) -> Status {
        warn("the PTX cannot be linked", &why);
        self.outputs.write("", &format!("error: {why}"));
        status
    }
}

/// Adds the texts of an input. The texts of one object are numbered.
fn add_texts(
    linker: &mut Linker,
    kind: i32,
    bytes: &[u8],
    name: &str,
    most_registers: Option<u32>,
) -> std::result::Result<(), (Status, String)> {
    let texts = texts_of(bytes).map_err(|refused| {
        let status = match (kind, &refused) {
            (PTX, ImageError::Unknown) => Status::InvalidPtx,
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

/// Creates a linker.
fn create(options: JitOptions, link: Out<'_, Handle>) -> Result {
    let driver = driver()?;
    if !options.are_whole() || link.is_null() {
        return Err(Status::InvalidValue);
    }
    if !options.have_target() {
        driver.context()?;
    }
    let (outputs, most_registers) = (options.outputs(), options.most_registers());
    let made = ProgramLinker { outputs, most_registers, state: Mutex::default() };
    link.store(table::<ProgramLinker>().add(made))
}

/// Adds a buffer.
///
/// # Safety
/// `bytes` is the length of the buffer that the caller passed.
unsafe fn add_data(
    link: Handle,
    kind: i32,
    (data, bytes): (In<'_, u8>, usize),
    name: Text<'_>,
    options: JitOptions,
) -> Result {
    driver()?;
    let link = table::<ProgramLinker>().get(link)?;
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
    let link = table::<ProgramLinker>().get(link)?;
    if !options.are_whole() {
        return Err(Status::InvalidValue);
    }
    let path = path.get()?;
    link.add(kind, &read_file(path)?, path, options)
}

/// Magic of ELF files, alone or inside archives.
const ELF: &[u8] = b"\x7fELF";
const ARCHIVE: &[u8] = b"!<arch>\n";

/// PTX texts of an input; an object has one per fatbin with PTX.
fn texts_of(bytes: &[u8]) -> std::result::Result<Vec<String>, ImageError> {
    if bytes.starts_with(&FATBIN.to_le_bytes()) {
        return Ok(vec![ptx_of(bytes)?]);
    }
    if bytes.starts_with(ELF) || bytes.starts_with(ARCHIVE) {
        return of_object(bytes);
    }
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    if text.contains(".version") { Ok(vec![text.into_owned()]) } else { Err(ImageError::Unknown) }
}

/// PTX of the fatbins in a host object file, found by their magic number.
fn of_object(bytes: &[u8]) -> std::result::Result<Vec<String>, ImageError> {
    let (mut found, mut machine) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(fatbin) = next_fatbin(bytes, &mut at) {
        match ptx_of(fatbin) {
            Ok(text) => found.push(text),
            Err(ImageError::MachineCode(mut sms)) => machine.append(&mut sms),
            // The bytes match the magic number only by chance.
            Err(_) => {}
        }
    }
    if found.is_empty() { Err(ImageError::MachineCode(machine)) } else { Ok(found) }
}

/// The next complete fatbin at or after an offset, which is advanced past it.
fn next_fatbin<'a>(bytes: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    loop {
        let rest = bytes.get(*at..)?;
        let start = *at + rest.windows(4).position(|word| word == FATBIN.to_le_bytes())?;
        let header = bytes.get(start..start + 16)?;
        let total = u64::from_le_bytes(std::array::from_fn(|i| header[8 + i]));
        let length = u64::from(u16::from_le_bytes([header[6], header[7]])).checked_add(total);
        let end = length.and_then(|length| start.checked_add(usize::try_from(length).ok()?));
        *at = start + 4;
        if let Some(end) = end
            && let Some(fatbin) = bytes.get(start..end)
        {
            *at = end;
            return Some(fatbin);
        }
    }
}

api! {
    fn cuLinkCreate_v2(count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>, link: Out<'_, Handle>) {
        create(JitOptions { count, names, values }, link)
    }

    fn cuLinkCreate(count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>, link: Out<'_, Handle>) {
        create(JitOptions { count, names, values }, link)
    }

    fn cuLinkAddData_v2(link: Handle, kind: i32, data: In<'_, u8>, bytes: usize, name: Text<'_>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        // SAFETY: `data` and `bytes` are the buffer and its length, as the caller passed them.
        unsafe { add_data(link, kind, (data, bytes), name, JitOptions { count, names, values }) }
    }

    fn cuLinkAddData(link: Handle, kind: i32, data: In<'_, u8>, bytes: usize, name: Text<'_>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        // SAFETY: `data` and `bytes` are the buffer and its length, as the caller passed them.
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
        let linked = table::<ProgramLinker>().get(link)?.complete()?;
        bytes.store_optional(linked.len());
        image.store(linked.as_ptr().cast())
    }

    fn cuLinkDestroy(link: Handle) {
        driver()?;
        table::<ProgramLinker>().remove(link).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::fatbin::tests::fatbin;

    #[test]
    fn objects_give_the_ptx_of_their_fatbins() {
        let ptx = |text: &str| fatbin(&[(1, 90, 0, 0, text.as_bytes().to_vec())]);
        let mut object = ELF.to_vec();
        object.extend(b"code");
        // The magic number by chance, followed by a length that exceeds the input.
        object.extend(FATBIN.to_le_bytes());
        object.extend([0xff; 20]);
        object.extend(ptx(".version a"));
        object.extend(fatbin(&[(2, 90, 0, 0, vec![0; 8])]));
        object.extend(ptx(".version b"));
        let both = Ok(vec![".version a".to_owned(), ".version b".to_owned()]);
        assert_eq!(texts_of(&object), both);
        let archive = [ARCHIVE, &object].concat();
        assert_eq!(texts_of(&archive), both);
        let cut = &object[..object.len() - 4];
        assert_eq!(texts_of(cut), Ok(vec![".version a".to_owned()]));
    }

    #[test]
    fn images_without_ptx_are_refused() {
        let machine = [ELF, &fatbin(&[(2, 86, 0, 0, vec![0; 8])])].concat();
        assert_eq!(texts_of(&machine), Err(ImageError::MachineCode(vec![86])));
        assert_eq!(texts_of(ELF), Err(ImageError::MachineCode(Vec::new())));
        for bytes in [&b""[..], b"\0.version", b"neither", &FATBIN.to_le_bytes()] {
            assert_eq!(texts_of(bytes), Err(ImageError::Unknown));
        }
    }
}

//! PTX inside machine code. ptxas with `-lineinfo` or `-g` copies its input, without comments and `.loc` lines, to the section
//! `.nv_debug_ptx_txt` of the cubin, each line ended by a zero byte. So programs that compile to machine code when they run (CuTe DSL,
//! `nvcc --cubin`) run on the emulator if they ask for line information, as the command makes them do.

/// The section with the text.
const SECTION: &[u8] = b".nv_debug_ptx_txt";

/// Number of bytes of the header of a 64-bit ELF file.
pub const HEADER: usize = 64;

/// The PTX in a cubin; nothing if it has none, holds the texts of several compilations, or is damaged.
pub fn ptx_of(elf: &[u8]) -> Option<String> {
    let tables = Tables::of(elf)?;
    let text = (0..tables.count).find_map(|index| {
        let named = tables.name(elf, index)? == SECTION;
        named.then(|| tables.section(elf, index)?.content(elf)).flatten()
    })?;
    let text = String::from_utf8_lossy(text).replace('\0', "\n");
    (text.matches(".version ").count() == 1).then_some(text)
}

/// The number of bytes of an ELF file, by its header.
pub fn length_of(header: &[u8]) -> Option<usize> {
    let tables = Tables::of(header)?;
    let programs = usize::try_from(long(header, 32)?).ok()?;
    let programs =
        programs.checked_add(usize::from(half(header, 54)?) * usize::from(half(header, 56)?))?;
    Some(programs.max(tables.start.checked_add(tables.count * tables.entry)?))
}

/// The table of the sections of a 64-bit ELF file.
struct Tables {
    start: usize,
    /// Bytes of an entry.
    entry: usize,
    count: usize,
    /// Number of the section with the sections' names.
    names: usize,
}

/// An entry of the table.
struct Section<'elf>(&'elf [u8]);

impl Tables {
    fn of(elf: &[u8]) -> Option<Tables> {
        elf.starts_with(b"\x7fELF\x02\x01").then_some(())?;
        Some(Tables {
            start: usize::try_from(long(elf, 40)?).ok()?,
            entry: half(elf, 58)?.into(),
            count: half(elf, 60)?.into(),
            names: half(elf, 62)?.into(),
        })
    }

    fn section<'elf>(&self, elf: &'elf [u8], index: usize) -> Option<Section<'elf>> {
        let start = self.start.checked_add(index.checked_mul(self.entry)?)?;
        Some(Section(elf.get(start..start.checked_add(self.entry)?)?))
    }

    fn name<'elf>(&self, elf: &'elf [u8], index: usize) -> Option<&'elf [u8]> {
        let names = self.section(elf, self.names)?.content(elf)?;
        let name = names.get(word(self.section(elf, index)?.0, 0)? as usize..)?;
        Some(&name[..name.iter().position(|&byte| byte == 0)?])
    }
}

impl Section<'_> {
    fn content<'elf>(&self, elf: &'elf [u8]) -> Option<&'elf [u8]> {
        let start = usize::try_from(long(self.0, 24)?).ok()?;
        let length = usize::try_from(long(self.0, 32)?).ok()?;
        elf.get(start..start.checked_add(length)?)
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// An ELF file with a section of the given name and content, and one with the sections' names.
    pub fn elf(name: &str, content: &[u8]) -> Vec<u8> {
        let names = [b"\0".as_slice(), name.as_bytes(), b"\0"].concat();
        let table = HEADER + names.len() + content.len();
        let mut file = vec![0; HEADER];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[40..48].copy_from_slice(&(table as u64).to_le_bytes());
        file[58..60].copy_from_slice(&64u16.to_le_bytes());
        file[60..62].copy_from_slice(&2u16.to_le_bytes());
        file.extend(&names);
        file.extend(content);
        let parts = [(0u32, HEADER, names.len()), (1, HEADER + names.len(), content.len())];
        for (name, start, length) in parts {
            let mut section = [0; 64];
            section[..4].copy_from_slice(&name.to_le_bytes());
            section[24..32].copy_from_slice(&(start as u64).to_le_bytes());
            section[32..40].copy_from_slice(&(length as u64).to_le_bytes());
            file.extend(section);
        }
        file
    }

    #[test]
    fn the_ptx_of_a_cubin_is_found() {
        let file = elf(".nv_debug_ptx_txt", b"\0\0.version 8.0\0.target sm_90\0");
        assert_eq!(ptx_of(&file).as_deref(), Some("\n\n.version 8.0\n.target sm_90\n"));
        assert_eq!(length_of(&file[..HEADER]), Some(file.len()));
        assert_eq!(ptx_of(&elf(".text.k", b".version 8.0\0")), None);
        assert_eq!(ptx_of(&elf(".nv_debug_ptx_txt", b".version 8.0\0.version 8.0\0")), None);
        assert_eq!(ptx_of(b".version 8.0"), None);
    }

    #[test]
    fn damaged_files_have_no_ptx() {
        let file = elf(".nv_debug_ptx_txt", b".version 8.0\0");
        for cut in 0..file.len() {
            assert_eq!(ptx_of(&file[..cut]), None);
        }
        for at in 0..file.len() {
            let mut file = file.clone();
            file[at] = 0xff;
            let _ = (ptx_of(&file), length_of(&file[..HEADER]));
        }
    }
}

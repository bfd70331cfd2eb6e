//! Registers of the kernels in machine code (a cubin), which nvcc stores next to the PTX.
//!
//! A cubin is an ELF file. Its section `.nv.info` has attributes; the one of register counts holds the number of the kernel's
//! symbol and the registers of a thread. The numbers below are those that public tools use, and nvcc 12 and 13 write.

/// The attribute of register counts, and the format of attributes with a size.
const REGISTER_COUNT: u8 = 0x2f;
const SIZED: u8 = 0x04;
/// Bytes of a section header, of a symbol, and the head of an attribute.
const SECTION: usize = 64;
const SYMBOL: usize = 24;
const HEAD: usize = 4;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}

fn name(bytes: &[u8], at: usize) -> Option<String> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

/// The contents of a section.
fn section<'a>(elf: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let (table, half) = (long(elf, 0x28)?, |at| word(elf, at).map(|word| word as usize));
    let (count, names) = (half(0x3c)? & 0xffff, half(0x3c)? >> 16);
    let contents = |index: usize| {
        let header = elf.get(table.checked_add(index.checked_mul(SECTION)?)?..)?;
        let (start, bytes) = (long(header, 24)?, long(header, 32)?);
        Some((word(header, 0)? as usize, elf.get(start..start.checked_add(bytes)?)?))
    };
    let (_, names) = contents(names)?;
    let named = |&(at, _): &(usize, &[u8])| name(names, at).is_some_and(|name| name == wanted);
    (0..count).filter_map(contents).find(named).map(|(_, bytes)| bytes)
}

/// The kernels of a cubin, with the registers of a thread; none if it is damaged or of an unknown form.
pub fn registers(elf: &[u8]) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let sections = [".nv.info", ".symtab", ".strtab"].map(|name| section(elf, name));
    let [Some(mut rest), Some(symbols), Some(names)] = sections else { return found };
    while let [format, attribute, low, high, ..] = *rest {
        let bytes = match format {
            SIZED => usize::from(u16::from_le_bytes([low, high])),
            _ => 0,
        };
        if format == SIZED
            && attribute == REGISTER_COUNT
            && let (Some(symbol), Some(registers)) = (word(rest, HEAD), word(rest, HEAD + 4))
        {
            let of_kernel = (symbol as usize).checked_mul(SYMBOL).and_then(|at| word(symbols, at));
            let kernel = of_kernel.and_then(|at| name(names, at as usize));
            found.extend(kernel.map(|kernel| (kernel, registers)));
        }
        rest = rest.get(HEAD + bytes..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cubin with these sections; the first section holds their names.
    fn elf(sections: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut names = vec![0];
        let mut file = vec![0u8; 64];
        let mut headers = Vec::new();
        for (name, contents) in sections {
            let mut header = [0u8; SECTION];
            header[..4].copy_from_slice(&(names.len() as u32).to_le_bytes());
            header[24..32].copy_from_slice(&(file.len() as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(contents.len() as u64).to_le_bytes());
            names.extend(name.bytes().chain([0]));
            file.extend(contents);
            headers.extend(header);
        }
        let mut last = [0u8; SECTION];
        last[24..32].copy_from_slice(&(file.len() as u64).to_le_bytes());
        last[32..40].copy_from_slice(&(names.len() as u64).to_le_bytes());
        file.extend(names);
        let table = file.len() as u64;
        file.extend(headers);
        file.extend(last);
        file[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&(sections.len() as u16 + 1).to_le_bytes());
        file[0x3e..0x40].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        file
    }

    #[test]
    fn register_counts_are_found_among_other_attributes() {
        let mut symbols = vec![0u8; 2 * SYMBOL];
        symbols[SYMBOL] = 5;
        let info = [3, 1, 9, 9, 4, 0x12, 4, 0, 7, 7, 7, 7, 4, 0x2f, 8, 0, 1, 0, 0, 0, 42, 0, 0, 0];
        let file = elf(&[
            (".strtab", b"none\0scale\0".to_vec()),
            (".symtab", symbols),
            (".nv.info", info.to_vec()),
        ]);
        assert_eq!(registers(&file), [("scale".to_owned(), 42)]);
        for end in 0..file.len() {
            assert!(registers(&file[..end]).len() <= 1);
        }
        assert_eq!(registers(b"no elf"), []);
    }
}

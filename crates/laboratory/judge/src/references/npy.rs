//! Arrays as `.npy` files, for programs that serve as references: version 1.0, little-endian, C order.

use crate::element::{ELEMENTS, Element};

/// The bytes of a file. NumPy has no bf16, so it becomes f32.
pub fn write(element: Element, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let (kind, data) = match element {
        Element::Bf16 => {
            let mut wide = Vec::new();
            element.read_all(bytes).iter().for_each(|value| Element::F32.put(*value, &mut wide));
            ("<f4", wide)
        }
        _ => (code(element), bytes.to_vec()),
    };
    let mut header = format!(
        "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}",
        extents.trim_end()
    );
    // The data start at a multiple of 64.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn code(element: Element) -> &'static str {
    match element {
        Element::F32 | Element::Bf16 => "<f4",
        Element::F64 => "<f8",
        Element::F16 => "<f2",
        Element::U8 => "|u1",
        Element::I8 => "|i1",
        Element::U32 => "<u4",
        Element::I32 => "<i4",
        Element::U64 => "<u8",
        Element::I64 => "<i8",
        // No task has the others; numpy's void has no numbers.
        _ => "|V1",
    }
}

/// An array of a file: its element type, its shape and its bytes.
pub type Read<'a> = (Element, Vec<u64>, &'a [u8]);

/// Reads a file.
///
/// # Errors
/// Why the file is not supported.
pub fn read(file: &[u8]) -> Result<Read<'_>, String> {
    let fail = |why: &str| Err(why.to_owned());
    let Some(rest) = file.strip_prefix(b"\x93NUMPY") else { return fail("it is not a .npy file") };
    let (start, length) = match rest {
        [1, _, a, b, ..] => (10, u16::from_le_bytes([*a, *b]) as usize),
        [2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        _ => return fail("its version is not known"),
    };
    let Some(header) = file.get(start..start + length) else {
        return fail("its header is cut off");
    };
    let header = String::from_utf8_lossy(header);
    let after = |name: &str| {
        header.split(name).nth(1).unwrap_or_default().trim_start_matches([' ', ':', '\''])
    };
    let kind: String = after("'descr'").chars().take_while(|c| *c != '\'').collect();
    let Some(element) =
        ELEMENTS.into_iter().find(|one| code(*one) == kind && *one != Element::Bf16)
    else {
        return Err(format!("its elements are `{kind}`, which is not one of the types known here"));
    };
    if after("'fortran_order'").starts_with("True") {
        return fail("it is in Fortran order; write np.ascontiguousarray(x)");
    }
    let shape = after("'shape'").trim_start_matches('(');
    let shape = shape.split(')').next().unwrap_or_default().split(',').map(str::trim);
    let shape: Result<Vec<u64>, _> = shape.filter(|one| !one.is_empty()).map(str::parse).collect();
    let Ok(shape) = shape else { return fail("its shape is not understood") };
    let data = &file[start + length..];
    let count = shape.iter().try_fold(1u64, |count, extent| count.checked_mul(*extent));
    match count.and_then(|count| count.checked_mul(element.bytes() as u64)) {
        Some(bytes) if bytes == data.len() as u64 => Ok((element, shape, data)),
        _ => fail("it holds another number of bytes than its shape says"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_written() {
        let bytes: Vec<u8> = (0..24).collect();
        for (element, shape) in
            [(Element::F32, vec![2, 3]), (Element::F64, vec![3]), (Element::U8, vec![24])]
        {
            let file = write(element, &shape, &bytes);
            assert_eq!(read(&file), Ok((element, shape, &bytes[..])));
            assert!(read(&file[..file.len() - 1]).is_err());
        }
        assert!(read(b"nothing").is_err());
        let empty = write(Element::F32, &[0], &[]);
        assert_eq!(read(&empty), Ok((Element::F32, vec![0], &[][..])));
    }
}

//! What a linker takes: PTX, fatbins, and host objects and archives that hold fatbins.

use crate::modules::fatbin::{FATBIN, Refused, ptx_of};

/// The first bytes of ELF files and of archives of them.
const ELF: &[u8] = b"\x7fELF";
const ARCHIVE: &[u8] = b"!<arch>\n";

/// The PTX texts of an input; an object has one for each fatbin with PTX.
pub fn texts_of(bytes: &[u8]) -> Result<Vec<String>, Refused> {
    if bytes.starts_with(&FATBIN.to_le_bytes()) {
        return Ok(vec![ptx_of(bytes)?]);
    }
    if bytes.starts_with(ELF) || bytes.starts_with(ARCHIVE) {
        return of_object(bytes);
    }
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    if text.contains(".version") { Ok(vec![text.into_owned()]) } else { Err(Refused::Unknown) }
}

/// The PTX of the fatbins in an object of the host's compiler, which lie in a section of their own, found by their first bytes.
fn of_object(bytes: &[u8]) -> Result<Vec<String>, Refused> {
    let (mut found, mut machine) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(fatbin) = next_fatbin(bytes, &mut at) {
        match ptx_of(fatbin) {
            Ok(text) => found.push(text),
            Err(Refused::MachineCode(mut sms)) => machine.append(&mut sms),
            // Bytes that look like one by chance.
            Err(_) => {}
        }
    }
    if found.is_empty() { Err(Refused::MachineCode(machine)) } else { Ok(found) }
}

/// The next whole fatbin from an offset on, which is moved behind it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::fatbin::tests::fatbin;

    #[test]
    fn objects_give_the_ptx_of_their_fatbins() {
        let ptx = |text: &str| fatbin(&[(1, 90, 0, 0, text.as_bytes().to_vec())]);
        let mut object = ELF.to_vec();
        object.extend(b"code");
        // The first bytes of a fatbin by chance, with a length beyond the end.
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
    fn what_holds_no_ptx_is_refused() {
        let machine = [ELF, &fatbin(&[(2, 86, 0, 0, vec![0; 8])])].concat();
        assert_eq!(texts_of(&machine), Err(Refused::MachineCode(vec![86])));
        assert_eq!(texts_of(ELF), Err(Refused::MachineCode(Vec::new())));
        for bytes in [&b""[..], b"\0.version", b"neither", &FATBIN.to_le_bytes()] {
            assert_eq!(texts_of(bytes), Err(Refused::Unknown));
        }
    }
}

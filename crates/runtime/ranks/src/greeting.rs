//! The first messages between processes that meet: a hello, and a reply.

use std::io::{ErrorKind, Read, Result, Write};

/// First bytes of every connection.
const MAGIC: [u8; 8] = *b"LANEWK02";

/// The hello of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// A number of the job, so that two jobs do not mix.
    pub job: u64,
    /// The rank.
    pub rank: u64,
    /// Number of ranks in its job.
    pub size: u64,
    /// A number that two ranks share only if they use one GPU.
    pub gpu: u64,
    /// How others find the rank: the number of its process, or its port.
    pub place: u64,
    /// Whether it can use NCCL.
    pub nccl: bool,
}

impl Hello {
    /// Bytes on the wire.
    const BYTES: usize = 56;

    /// Sends the hello.
    ///
    /// # Errors
    /// Errors of the stream.
    pub fn send(&self, to: &mut impl Write) -> Result<()> {
        let words = [self.job, self.rank, self.size, self.gpu, self.place, self.nccl.into()];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(words.map(u64::to_le_bytes).as_flattened());
        to.write_all(&bytes)
    }

    /// Reads the hello of a connection; `None` if it sends anything else.
    pub fn read(from: &mut impl Read) -> Option<Hello> {
        let mut bytes = [0; Hello::BYTES];
        from.read_exact(&mut bytes).ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let [magic, words @ ..] = words else { return None };
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next();
        let (job, rank, size) = (next()?, next()?, next()?);
        let (gpu, place, nccl) = (next()?, next()?, next()? != 0);
        (*magic == MAGIC).then_some(Hello { job, rank, size, gpu, place, nccl })
    }
}

/// Sends a reply of a kind.
///
/// # Errors
/// Errors of the stream.
pub fn answer(to: &mut impl Write, kind: u8, bytes: &[u8]) -> Result<()> {
    let mut frame = vec![kind];
    put(&mut frame, bytes);
    to.write_all(&frame)
}

/// Reads a reply: its kind and its bytes.
///
/// # Errors
/// Errors of the stream, and if it ends early.
pub fn read_answer(from: &mut impl Read) -> Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let length = u64::from(u32::from_le_bytes([head[1], head[2], head[3], head[4]]));
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok((head[0], bytes))
}

/// Appends a length and bytes.
pub fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    to.extend_from_slice(bytes);
}

/// Takes bytes that [`put`] appended; `None` if there are fewer.
pub fn take<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = from.split_first_chunk::<4>()?;
    let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *from = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_round_trip() {
        let hello = Hello { job: 1 << 63, rank: 2, size: 3, gpu: 4, place: 5, nccl: true };
        let mut wire = Vec::new();
        hello.send(&mut wire).expect("memory takes it");
        assert_eq!((wire.len(), Hello::read(&mut &wire[..])), (Hello::BYTES, Some(hello)));
        wire[0] ^= 1;
        assert_eq!(Hello::read(&mut &wire[..]), None);
        let mut wire = Vec::new();
        answer(&mut wire, 7, b"text").expect("memory takes it");
        assert_eq!(read_answer(&mut &wire[..]).expect("whole"), (7, b"text".to_vec()));
        assert!(read_answer(&mut &wire[..8]).is_err());
        let mut rest = &wire[1..];
        assert_eq!((take(&mut rest), take(&mut rest)), (Some(&b"text"[..]), None));
    }
}

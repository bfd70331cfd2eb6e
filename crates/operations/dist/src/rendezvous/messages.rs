//! Messages of the rendezvous: a hello to rank 0, and its reply.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

/// First bytes of every connection.
const MAGIC: [u8; 8] = *b"LANEWK01";
/// Bytes of a [`Hello`].
const HELLO: usize = 40;
/// Replies of rank 0: why the rendezvous failed, where all ranks are, or that it belongs to another job.
pub(super) const REFUSED: u8 = 0;
pub(super) const WELCOME: u8 = 1;
pub(super) const OTHER_JOB: u8 = 2;

/// The hello of a rank to rank 0.
pub(super) struct Hello {
    pub(super) job: u64,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) port: u16,
    pub(super) nccl: bool,
    pub(super) gpu: u64,
}

impl Hello {
    pub(super) fn bytes(&self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&self.job.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.gpu.to_le_bytes());
        bytes[24..28].copy_from_slice(&(self.rank as u32).to_le_bytes());
        bytes[28..32].copy_from_slice(&(self.size as u32).to_le_bytes());
        bytes[32..34].copy_from_slice(&self.port.to_le_bytes());
        bytes[34] = u8::from(self.nccl);
        bytes
    }

    pub(super) fn read(stream: &mut TcpStream) -> Option<Hello> {
        let mut bytes = [0; HELLO];
        stream.read_exact(&mut bytes).ok()?;
        if bytes[..8] != MAGIC {
            return None;
        }
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        Some(Hello {
            job: long(8),
            gpu: long(16),
            rank: long(24) as u32 as usize,
            size: (long(24) >> 32) as usize,
            port: long(32) as u16,
            nccl: bytes[34] != 0,
        })
    }
}

/// Appends a length and bytes.
pub(super) fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    to.extend_from_slice(bytes);
}

/// Reads bytes written by [`put`].
pub(super) fn take<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = from.split_first_chunk::<4>()?;
    let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *from = rest;
    Some(bytes)
}

pub(super) fn answer(stream: &mut TcpStream, kind: u8, bytes: &[u8]) -> std::io::Result<()> {
    let mut frame = vec![kind];
    put(&mut frame, bytes);
    stream.write_all(&frame)
}

/// Reads a reply of rank 0: its kind and its text.
pub(super) fn read_answer(stream: &mut TcpStream) -> std::io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    stream.read_exact(&mut head)?;
    let length = u64::from(u32::from_le_bytes([head[1], head[2], head[3], head[4]]));
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok((head[0], bytes))
}

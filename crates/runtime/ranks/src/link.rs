//! Link from one rank to another: a channel within a process, or a stream between processes, whose thread moves messages into the
//! rank's inbox. Sending never waits for a call of the receiver. Processes that meet first exchange a hello and a reply.

use crate::signature::Signature;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// A part of a rank's data. Parts of one input share the memory.
#[derive(Clone, Debug, Default)]
pub struct Part {
    data: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Part {
    /// A part of an input.
    pub fn of(data: &Arc<Vec<u8>>, range: Range<usize>) -> Part {
        Part { data: Arc::clone(data), range }
    }

    /// A whole input.
    pub fn whole(data: Vec<u8>) -> Part {
        Part { range: 0..data.len(), data: Arc::new(data) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.data.get(self.range.clone()).unwrap_or(&[])
    }
}

/// Messages between ranks.
#[derive(Debug)]
pub enum Message {
    /// A call with its data.
    Call(Signature, Part),
    /// The sender has left, with the reason.
    Left(String),
    /// Another thread of this process ends the rank's wait.
    Wake,
}

/// A rank's inbox: sender and message.
pub type Inbox = Sender<(usize, Message)>;

/// A stream to another process.
pub trait PeerStream: Write + Send {
    /// Ends this direction of the stream.
    fn end(&self);
}

impl PeerStream for TcpStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

#[cfg(unix)]
impl PeerStream for std::os::unix::net::UnixStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

/// The link to one peer.
pub enum Link {
    /// A rank of this process.
    Local(Inbox),
    /// A rank of another process.
    Process(Box<dyn PeerStream>),
}

/// First byte of a frame: a call, or a notice that the sender leaves.
const CALL: u8 = 1;
const LEFT: u8 = 2;

fn frame(kind: u8, length: usize) -> Vec<u8> {
    let mut frame = vec![kind];
    frame.extend((length as u64).to_le_bytes());
    frame
}

impl Link {
    /// Sends this rank's call with the data that the peer needs.
    ///
    /// # Errors
    /// If the peer has gone, or does not receive.
    pub fn post(&mut self, rank: usize, own: Signature, part: Part) -> Result<()> {
        match self {
            Link::Local(inbox) => {
                inbox.send((rank, Message::Call(own, part))).map_err(|_| ErrorKind::BrokenPipe)?
            }
            Link::Process(stream) => {
                let mut head = frame(CALL, part.bytes().len());
                head.extend(own.encode());
                stream.write_all(&head)?;
                stream.write_all(part.bytes())?;
            }
        }
        Ok(())
    }

    /// Notifies the peer that this rank leaves. Ignores peers that have gone.
    pub fn leave(&mut self, rank: usize, why: &str) {
        match self {
            Link::Local(inbox) => drop(inbox.send((rank, Message::Left(why.to_owned())))),
            Link::Process(stream) => {
                let mut frame = frame(LEFT, why.len());
                frame.extend(why.as_bytes());
                let _ = stream.write_all(&frame);
                stream.end();
            }
        }
    }
}

/// Starts the thread that receives from one peer; it ends with the connection.
///
/// # Errors
/// If no thread can be started.
pub fn listen_to(peer: usize, stream: impl Read + Send + 'static, inbox: Inbox) -> Result<()> {
    let listen = move || {
        let mut stream = BufReader::new(stream);
        loop {
            let message = receive(&mut stream)
                .unwrap_or_else(|error| Message::Left(format!("its process ended ({error})")));
            let last = matches!(message, Message::Left(_));
            if inbox.send((peer, message)).is_err() || last {
                break;
            }
        }
        // Drains the stream, so that the peer neither blocks nor sees a broken connection.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    };
    std::thread::Builder::new().name(format!("rank {peer}")).spawn(listen).map(drop)
}

fn receive(stream: &mut impl Read) -> Result<Message> {
    let garbled =
        || Error::new(ErrorKind::InvalidData, "received data that is not a message of a rank");
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    let length = u64::from_le_bytes(std::array::from_fn(|i| head[1 + i]));
    let signature = match head[0] {
        CALL => {
            let mut signature = [0; Signature::BYTES];
            stream.read_exact(&mut signature)?;
            Some(Signature::decode(&signature).ok_or_else(garbled)?)
        }
        LEFT => None,
        _ => return Err(garbled()),
    };
    let mut data = Vec::new();
    // Grows with the received data, so a wrong length reserves no memory.
    stream.take(length).read_to_end(&mut data)?;
    if data.len() as u64 != length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(match signature {
        Some(signature) => Message::Call(signature, Part::whole(data)),
        None => Message::Left(String::from_utf8_lossy(&data).into_owned()),
    })
}

/// First bytes of every connection.
const MAGIC: [u8; 8] = *b"LANEWK02";

/// The hello of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// A number that identifies the job, so that two jobs do not mix.
    pub job: u64,
    /// The rank.
    pub rank: u64,
    /// Number of ranks in its job.
    pub size: u64,
    /// A number that two ranks share only if they use one GPU.
    pub gpu: u64,
    /// How other ranks find it: the ID of its process, or its port.
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

    /// Reads the hello of a connection; `None` if the peer sends anything else.
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

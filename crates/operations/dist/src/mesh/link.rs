//! Links between ranks and their messages: a channel within a process, or frames of a TCP stream. The receiving end is a thread that moves
//! messages into the rank's inbox, so the sender never waits for a call of this rank.

use crate::mesh::signature::Signature;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;

/// Messages between ranks.
pub(crate) enum Message {
    /// A call with its data.
    Call(Signature, Vec<u8>),
    /// The sender has left, and why.
    Left(String),
}

/// The link to one peer.
pub(crate) enum Link {
    /// A rank of this process.
    Channel(Sender<(usize, Message)>),
    /// A rank of another process.
    Tcp(TcpStream),
}

/// Outcome of sending a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Posted {
    /// Sent, or the peer is gone, which its listener reports.
    Away,
    /// The peer did not receive it in time.
    Stuck,
}

impl Link {
    /// Sends a call of `rank`.
    pub fn post(&mut self, rank: usize, signature: &Signature, data: &[u8]) -> Posted {
        match self {
            Link::Channel(sender) => {
                // A peer that is gone has left a message in the inbox.
                let _ = sender.send((rank, Message::Call(*signature, data.to_vec())));
                Posted::Away
            }
            Link::Tcp(stream) => match write(stream, signature, data) {
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    Posted::Stuck
                }
                // The peer's listener thread reports it.
                _ => Posted::Away,
            },
        }
    }

    /// Tells the peer that `rank` leaves.
    pub fn leave(&mut self, rank: usize, why: &str) {
        // Ignore a peer that is gone, too.
        match self {
            Link::Channel(sender) => drop(sender.send((rank, Message::Left(why.to_owned())))),
            Link::Tcp(stream) => {
                let _ = write_left(stream, why);
                let _ = stream.shutdown(Shutdown::Write);
            }
        }
    }
}

/// First byte of a frame: a call, or a notice that the sender leaves.
pub(crate) const CALL: u8 = 1;
pub(crate) const LEFT: u8 = 2;

fn write(stream: &mut TcpStream, signature: &Signature, data: &[u8]) -> std::io::Result<()> {
    let mut head = vec![CALL];
    head.extend_from_slice(&(data.len() as u64).to_le_bytes());
    head.extend_from_slice(&signature.encode());
    stream.write_all(&head)?;
    stream.write_all(data)
}

fn write_left(stream: &mut TcpStream, why: &str) -> std::io::Result<()> {
    let mut frame = vec![LEFT];
    frame.extend_from_slice(&(why.len() as u64).to_le_bytes());
    frame.extend_from_slice(why.as_bytes());
    stream.write_all(&frame)
}

/// Starts the thread for one peer; it ends with the connection.
pub(crate) fn listen_to(
    peer: usize,
    stream: TcpStream,
    inbox: Sender<(usize, Message)>,
) -> Result<()> {
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
        // Drains the stream, so that the peer's system sees no broken connection.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    };
    std::thread::Builder::new().name(format!("rank {peer}")).spawn(listen).map(drop)
}

fn receive(stream: &mut impl Read) -> Result<Message> {
    let garbled =
        || Error::new(ErrorKind::InvalidData, "received data that is not a message of a rank");
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    let length = head.last_chunk::<8>().map_or(0, |length| u64::from_le_bytes(*length));
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
        Some(signature) => Message::Call(signature, data),
        None => Message::Left(String::from_utf8_lossy(&data).into_owned()),
    })
}

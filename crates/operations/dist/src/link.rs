//! One rank's way to another: what goes along it, through a channel of this process or as frames of a TCP stream.

use crate::signature::Signature;
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;

/// What goes from rank to rank.
pub(crate) enum Message {
    /// A call, and the data that it sends.
    Call(Signature, Vec<u8>),
    /// The sender takes no further part, and why.
    Left(String),
}

/// The way to one peer.
pub(crate) enum Link {
    /// A rank of this process.
    Channel(Sender<(usize, Message)>),
    /// A rank of another process.
    Tcp(TcpStream),
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Posted {
    /// It is on its way, or the peer is gone, which whoever listens to it says.
    Away,
    /// The peer did not take it in time.
    Stuck,
}

impl Link {
    /// Sends a call of `rank`.
    pub fn post(&mut self, rank: usize, signature: &Signature, data: &[u8]) -> Posted {
        match self {
            Link::Channel(sender) => {
                // A peer that is gone has said so before, in the inbox.
                let _ = sender.send((rank, Message::Call(*signature, data.to_vec())));
                Posted::Away
            }
            Link::Tcp(stream) => match write(stream, signature, data) {
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    Posted::Stuck
                }
                // The thread that listens to a peer that is gone says so.
                _ => Posted::Away,
            },
        }
    }

    /// Says that `rank` takes no further part.
    pub fn leave(&mut self, rank: usize, why: &str) {
        // Nobody is there to be told when the peer is gone, too.
        match self {
            Link::Channel(sender) => drop(sender.send((rank, Message::Left(why.to_owned())))),
            Link::Tcp(stream) => {
                let _ = write_left(stream, why);
                let _ = stream.shutdown(Shutdown::Write);
            }
        }
    }
}

/// The first byte of a frame: a call, or that the sender leaves.
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

//! The receiving end of a connection to another process: a thread that puts what comes into the rank's inbox, so that the sender
//! never waits for a call of this rank.

use crate::link::{CALL, LEFT, Message};
use crate::signature::Signature;
use std::io::{BufReader, Error, ErrorKind, Read, Result};
use std::net::TcpStream;
use std::sync::mpsc::Sender;

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
        // What a peer still sends is taken, so that its system does not see a connection that breaks.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    };
    std::thread::Builder::new().name(format!("rank {peer}")).spawn(listen).map(drop)
}

fn receive(stream: &mut impl Read) -> Result<Message> {
    let garbled = || Error::new(ErrorKind::InvalidData, "what came is not a message of a rank");
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
    // Grows with what comes: a wrong length does not reserve memory.
    stream.take(length).read_to_end(&mut data)?;
    if data.len() as u64 != length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(match signature {
        Some(signature) => Message::Call(signature, data),
        None => Message::Left(String::from_utf8_lossy(&data).into_owned()),
    })
}

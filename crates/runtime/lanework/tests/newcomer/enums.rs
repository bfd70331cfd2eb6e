//! A state machine: an enum with methods.

use lanework::prelude::*;
#[device]
#[derive(Clone, Copy, PartialEq)]
pub enum TokenState {
    Outside,
    InWord,
    InNumber,
}
#[device]
impl TokenState {
    pub fn next(self, c: u8) -> TokenState {
        match c {
            b'a'..=b'z' | b'A'..=b'Z' => TokenState::InWord,
            b'0'..=b'9' => {
                if self == TokenState::InWord {
                    TokenState::InWord
                } else {
                    TokenState::InNumber
                }
            }
            _ => TokenState::Outside,
        }
    }
    fn is_token(self) -> bool {
        self != TokenState::Outside
    }
}
#[kernel]
fn count_tokens(text: &[u8], starts: &[u32], counts: &mut [u32]) {
    let line = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if line + 1 >= starts.len() {
        return;
    }
    let mut state = TokenState::Outside;
    let mut count = 0;
    for i in starts[line]..starts[line + 1] {
        let next = state.next(text[i]);
        if next.is_token() && next != state {
            count += 1;
        }
        state = next;
    }
    counts[line] = count;
}
#[test]
fn counts() -> lanework::Result<()> {
    let device = Device::emulator();
    let text = device.upload(b"ab 12 x9 ;; 7a")?;
    let starts = device.upload(&[0u32, 9, 14])?;
    let mut counts = device.zeros::<u32>(2)?;
    count_tokens(&text, &starts, &mut counts).grid(1).block(32).launch(&device)?;
    assert_eq!(counts.download()?, [3, 2]);
    Ok(())
}

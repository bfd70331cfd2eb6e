//! What is linked.

/// One input, of a kind of `nvJitLinkInputType`.
pub struct Input {
    pub kind: i32,
    pub data: Vec<u8>,
    pub name: String,
}

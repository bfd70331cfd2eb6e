//! The hash of a kernel's PTX in records: 64-bit FNV-1a (Fowler, Noll, Vo), which any tool can compute.

/// The hash of a PTX text in 16 hexadecimal digits.
pub fn ptx_hash(ptx: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", ptx.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_published_vectors() {
        assert_eq!(ptx_hash(""), "cbf29ce484222325");
        assert_eq!(ptx_hash("foobar"), "85944171f73967e8");
    }
}

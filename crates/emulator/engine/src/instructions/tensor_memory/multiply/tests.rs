//! The masks of columns of the PTX manual's examples.

use crate::instructions::tensor_memory::multiply::zero_columns;

#[test]
fn masks_match_the_examples_of_the_manual() {
    let mask = |bits: u64, m, n: usize| {
        let (zero, shift) = zero_columns(bits, m, n).unwrap();
        (zero[..n].iter().map(|z| if *z { '1' } else { '0' }).collect::<String>(), shift)
    };
    let spans = 1 << 39 | 2u64 << 40 | 3 << 48;
    assert_eq!(mask(4 << 40 | 3 << 48, 128, 16).0, "0".repeat(16));
    assert_eq!(mask(spans, 128, 16).0, "0000111000011100");
    assert_eq!(mask(spans | 1 << 32, 64, 32).0, "11100001110000110000111000011100");
    let fourth = spans | 3 << 32 | 1 << 8 | 2 << 16 | 1 << 24 | 2 << 56;
    let (bits, shift) = mask(fourth, 32, 64);
    assert_eq!((&bits[..16], shift), ("1110000111000011", 2));
    assert_eq!(&bits[16..28], "110000111000");
    assert_eq!(&bits[32..44], "001110000111");
    assert_eq!(&bits[48..60], "000111000011");
    assert!(zero_columns(17 << 56, 32, 64).is_err());
}

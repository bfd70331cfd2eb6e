//! `text.cu`: hashes, checksums, search, codes, distances, backtracking.

use crate::Case;
use crate::case::{args, bits, bytes};

const UNIT: &str = "text";

pub fn cases() -> Vec<Case> {
    let mut cases = vec![sha256(), crc32(), fnv(), find_all(), wildcard(), edit_distance()];
    cases.extend([base64(), count_text(), queens()]);
    cases
}

/// SHA-256 of a short message (FIPS 180-4): the constants are the first bits of the fractional
/// parts of roots of primes.
fn sha256_of(message: &[u8]) -> [u32; 8] {
    let primes: Vec<u64> = (2u64..).filter(|p| (2..*p).all(|d| p % d != 0)).take(64).collect();
    // floor(root * 2^32) by bisection in integers; its low 32 bits are the fraction.
    let fraction = |prime: u64, power: u32| {
        let reaches = |r: u128| r.pow(power) <= u128::from(prime) << (32 * power);
        (0..36).rev().fold(0u128, |r, bit| if reaches(r | 1 << bit) { r | 1 << bit } else { r })
            as u32
    };
    let k: Vec<u32> = primes.iter().map(|&p| fraction(p, 3)).collect();
    let first: Vec<u32> = primes[..8].iter().map(|&p| fraction(p, 2)).collect();
    let mut block = [0u8; 64];
    block[..message.len()].copy_from_slice(message);
    block[message.len()] = 0x80;
    block[56..].copy_from_slice(&(message.len() as u64 * 8).to_be_bytes());
    let mut w: Vec<u32> =
        block.chunks(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
    }
    let mut v = first.clone();
    for i in 0..64 {
        let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
        let choice = v[4] & v[5] ^ !v[4] & v[6];
        let t1 = [s1, choice, k[i], w[i]].into_iter().fold(v[7], u32::wrapping_add);
        let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
        let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2];
        v.rotate_right(1);
        v[4] = v[4].wrapping_add(t1);
        v[0] = t1.wrapping_add(s0).wrapping_add(majority);
    }
    std::array::from_fn(|i| first[i].wrapping_add(v[i]))
}

fn sha256() -> Case {
    // The digest of "abc" in the standard, which validates the host's implementation.
    assert_eq!(sha256_of(b"abc")[..2], [0xba78_16bf, 0x8f01_cfea]);
    let (n, length) = (40usize, 23usize);
    let messages = bytes(1, n * length);
    Case::new(UNIT, "SHA-256")
        .with("messages", &messages)
        .with("digests", &vec![0u32; n * 8])
        .run("sha256", 2, 32, args!["messages", length as i32, "digests", n as i32])
        .expects("digests", &messages.chunks(length).flat_map(sha256_of).collect::<Vec<_>>())
}

fn crc32() -> Case {
    let data = bytes(2, 32 * 50);
    let crc = |part: &[u8]| {
        !part.iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |c, _| c >> 1 ^ (0xedb8_8320 * (c & 1)))
        })
    };
    assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    Case::new(UNIT, "CRC-32")
        .with("data", &data)
        .with("crc", &[0u32; 32])
        .run("crc32", 1, 256, args!["data", 50i32, "crc"])
        .expects("crc", &data.chunks(50).map(crc).collect::<Vec<_>>())
}

fn fnv() -> Case {
    let (mut text, mut start, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..50 {
        start.push(text.len() as i32);
        let word: Vec<u8> =
            bytes(3 + i, bits(3, i as usize) as usize % 20).iter().map(|b| b | 1).collect();
        hashes.push(word.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        }));
        text.extend(word);
        text.push(0);
    }
    Case::new(UNIT, "FNV of words")
        .with("text", &text)
        .with("start", &start)
        .with("hash", &[0u64; 50])
        .run("fnv", 2, 32, args!["text", "start", "hash", 50i32])
        .expects("hash", &hashes)
}

/// Text over few letters, so that patterns occur.
fn letters(seed: u64, n: usize) -> Vec<u8> {
    bytes(seed, n).iter().map(|b| b"aab"[usize::from(*b) % 3]).collect()
}

fn find_all() -> Case {
    let (text, pattern) = (letters(60, 500), b"aaba");
    let mut bitmap = [0u32; 16];
    for (i, window) in text.windows(4).enumerate() {
        bitmap[i / 32] |= u32::from(window == pattern) << (i % 32);
    }
    Case::new(UNIT, "all places of a pattern")
        .with("text", &text)
        .with("pattern", pattern)
        .with("bitmap", &[0u32; 16])
        .run("find_all", 4, 128, args!["text", 500i32, "pattern", 4i32, "bitmap"])
        .expects("bitmap", &bitmap)
}

fn wildcard() -> Case {
    fn matches(text: &[u8], pattern: &[u8]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, rest) => rest.is_none(),
            (Some((b'*', after)), rest) => {
                matches(text, after) || rest.is_some_and(|(_, text)| matches(text, pattern))
            }
            (Some((b'?', after)), Some((_, text))) => matches(text, after),
            (Some((p, after)), Some((t, text))) => p == t && matches(text, after),
            (Some(_), None) => false,
        }
    }
    let pattern = b"a*b?a*a\0";
    let (mut texts, mut expected) = (Vec::new(), Vec::new());
    for i in 0..100 {
        let mut text = letters(70 + i, bits(61, i as usize) as usize % 15);
        expected.push(i32::from(matches(&text, &pattern[..7])));
        text.resize(16, 0);
        texts.extend(text);
    }
    Case::new(UNIT, "wildcards")
        .with("texts", &texts)
        .with("pattern", pattern)
        .with("matches", &[-1i32; 100])
        .run("wildcard", 2, 64, args!["texts", 16i32, "pattern", "matches", 100i32])
        .expects("matches", &expected)
}

fn edit_distance() -> Case {
    let (a, b) = (letters(62, 25), letters(63, 30));
    let mut row: Vec<i32> = (0..=30).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i as i32 + 1);
        for (j, y) in b.iter().enumerate() {
            let best = (diagonal + i32::from(x != y)).min(row[j].min(row[j + 1]) + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    Case::new(UNIT, "edit distance")
        .with("a", &a)
        .with("b", &b)
        .with("distance", &[0i32])
        .run("edit_distance", 1, 32, args!["a", 25i32, "b", 30i32, "distance"])
        .expects("distance", &[row[30]])
}

fn base64() -> Case {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let x = bytes(64, 300);
    let encoded = x.chunks(3).flat_map(|b| {
        let bits = u32::from_be_bytes([0, b[0], b[1], b[2]]);
        [18, 12, 6, 0].map(|shift| letters[(bits >> shift & 63) as usize])
    });
    Case::new(UNIT, "base64")
        .with("in", &x)
        .with("out", &[0u8; 400])
        .run("base64", 1, 128, args!["in", "out", 100i32])
        .expects("out", &encoded.collect::<Vec<_>>())
}

fn count_text() -> Case {
    let x = bytes(65, 1000);
    let (mut counts, mut upper) = ([0u32; 10], x.clone());
    for c in &mut upper {
        let class = match c {
            0..=15 => 0,
            0x20..=0x2f => 1,
            0x30..=0x3f => 2,
            0x40..=0x5f => 3,
            b'a'..=b'z' => 4,
            0x80..=0xbf => 5,
            0xc0..=0xdf => 6,
            0xe0..=0xef => 7,
            0xf0.. => 8,
            0x60..=0x7f => continue,
            _ => 9,
        };
        counts[class] += 1;
        c.make_ascii_uppercase();
    }
    Case::new(UNIT, "bytes by class")
        .with("text", &x)
        .with("counts", &[0u32; 10])
        .run("count_text", 8, 128, args!["text", 1000i32, "counts"])
        .expects("text", &upper)
        .expects("counts", &counts)
}

fn queens() -> Case {
    Case::new(UNIT, "seven queens")
        .with("solutions", &[0u32])
        .run("queens", 1, 64, args!["solutions", 7i32])
        .expects("solutions", &[40u32])
}

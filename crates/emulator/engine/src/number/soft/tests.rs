//! Compares rounding to the nearest even with the host's, and the other directions with rounding to the nearest even.

use crate::number::soft::*;

fn words() -> impl Iterator<Item = u64> {
    let mut state = 0x1234_5678_9abc_def1u64;
    (0..20_000).map(move |i| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match i % 4 {
            0 => state & 0x800f_ffff_ffff_ffff | (1000 + state % 40) << 52,
            1 => state & 0x801f_ffff_ffff_ffff,
            _ => state,
        }
    })
}

fn same(bits: Option<u64>, host: f64) {
    let host = (!host.is_nan()).then(|| host.to_bits());
    assert_eq!(bits, host, "{bits:x?} {host:x?}");
}

#[test]
fn nearest_rounding_matches_the_host() {
    let all: Vec<u64> = words().collect();
    for w in all.windows(3) {
        let [x, y, z] = [w[0], w[1], w[2]].map(f64::from_bits);
        let [a, b, c] = [w[0], w[1], w[2]].map(|bits| F64.unpack(bits));
        let even = |n| F64.round(n, Round::Even);
        same(even(add(a, b, Round::Even)), x + y);
        same(even(multiply(a, b)), x * y);
        same(even(add(multiply(a, b), c, Round::Even)), x.mul_add(y, z));
        same(even(divide(a, b)), x / y);
        same(even(root(a)), x.sqrt());
        let narrow = F32.round(a, Round::Even);
        let host = x as f32;
        assert_eq!(narrow, (!host.is_nan()).then(|| u64::from(host.to_bits())));
    }
}

#[test]
fn directions_enclose_the_nearest() {
    let all: Vec<u64> = words().collect();
    for w in all.windows(2) {
        let (a, b) = (F64.unpack(w[0]), F64.unpack(w[1]));
        let value = |round| F32.round(add(a, b, round), round).map(|x| f32::from_bits(x as u32));
        let (Some(down), Some(up), Some(near), Some(zero)) =
            (value(Round::Down), value(Round::Up), value(Round::Even), value(Round::Zero))
        else {
            continue;
        };
        assert!(down <= near && near <= up && (down == up || down.next_up() == up));
        assert_eq!(zero, if near > 0.0 || near == 0.0 && up > 0.0 { down } else { up });
    }
}

//! Fragments of `macro_rules!` keep their grouping in kernels and in the host version of `#[device]` functions.

use lanework::prelude::*;

macro_rules! twice {
    ($a:expr) => {
        $a * 2
    };
}

macro_rules! minus {
    ($a:expr, $b:expr) => {
        $a - $b
    };
}

macro_rules! negative {
    ($a:expr) => {
        -$a
    };
}

macro_rules! cast {
    ($a:expr, $t:ty) => {
        $a as $t
    };
}

macro_rules! equal {
    ($a:expr, $b:expr) => {
        $a == $b
    };
}

macro_rules! call {
    ($f:expr, $x:expr) => {
        $f($x)
    };
}

macro_rules! each {
    ($i:ident in $r:expr => $b:block) => {
        for $i in $r.skip(1) $b
    };
}

macro_rules! both {
    ($a:literal $op:tt $b:literal) => {
        $a $op $b * 2
    };
}

macro_rules! nested {
    ($a:expr) => {
        twice!($a) - twice!(negative!($a + 1))
    };
}

macro_rules! inside {
    ($p:pat, $x:expr) => {
        match $x {
            $p => 1,
            _ => 0,
        }
    };
}

macro_rules! bump {
    ($place:expr) => {
        $place += 1;
    };
}

#[device]
fn bumped(x: u32) -> u32 {
    let mut value = x;
    let place = &mut value;
    bump!(*place);
    (*place) += 1;
    value
}

#[device]
macro_rules! marked {
    ($a:expr) => {
        $a * 2
    };
}

/// A kernel that a macro declares, with a fragment in its body.
macro_rules! kernel {
    ($name:ident, $t:ty, $x:ident => $value:expr) => {
        #[kernel]
        fn $name(x: &mut [$t]) {
            let $x = x[thread_idx.x];
            x[thread_idx.x] = $value * 3;
        }
    };
}

kernel!(tripled, i64, x => x + 1);

trait Hashed {
    fn hashed(self) -> u32;
}

#[device]
trait Hash {
    fn hash(self) -> u32;
}

macro_rules! hashes {
    ($t:ty, $seed:expr) => {
        #[device]
        impl Hash for $t {
            fn hash(self) -> u32 {
                (self as u32) * $seed
            }
        }

        impl Hashed for $t {
            fn hashed(self) -> u32 {
                (self as u32) * $seed
            }
        }
    };
}

hashes!(u16, 3 + 4);

#[device]
fn hash_of<T: Hash>(x: T) -> u32 {
    x.hash()
}

#[device]
fn of_device(v: u32) -> u32 {
    twice!(v + 1) + minus!(v, v - 1)
}

fn of_host(v: u32) -> u32 {
    twice!(v + 1) + minus!(v, v - 1)
}

/// The same expressions for the host and for a kernel.
macro_rules! all_of {
    ($x:expr, $out:ident) => {
        let a = $x;
        let signed = a as i32;
        $out[0] = twice!(a + 1);
        $out[1] = minus!(a, a - 1);
        $out[2] = negative!(signed - 20) as u32;
        $out[3] = cast!(a * 100, u8) as u32;
        $out[4] = if equal!(a & 8, 8) { 1 } else { 0 };
        $out[5] = call!(|q: u32| q + 1, a);
        let mut sum = 0;
        each!(k in 0..4u32 => { sum += k; });
        $out[6] = sum;
        $out[7] = both!(3 + 4);
        $out[8] = nested!(signed + 5) as u32;
        $out[9] = inside!(1 | 10, a) + inside!(-1..=3, signed);
    };
}

#[kernel]
fn all(x: &mut [u32]) {
    all_of!(x[0], x);
    x[10] = of_device(x[10]);
    x[11] = marked!(x[11] + 1);
    x[12] = hash_of(5u16) + bumped(x[12]);
}

#[test]
fn a_fragment_is_one_operand() {
    for device in Device::for_tests("language") {
        for first in [1u32, 3, 10, 250] {
            let host = [first; 13];
            let mut x = device.upload(&host).unwrap();
            all(&mut x).grid(1).block(1).launch(&device).unwrap();
            let mut wanted = [first; 13];
            all_of!(host[0], wanted);
            wanted[10] = of_host(first);
            wanted[11] = (first + 1) * 2;
            wanted[12] = 5u16.hashed() + first + 2;
            let mut host = first + 1;
            bump!(host);
            assert_eq!(bumped(first), host);
            assert_eq!(of_device(first), of_host(first));
            assert_eq!(x.download().unwrap(), wanted);
        }
        let mut x = device.upload(&[1i64, -5]).unwrap();
        tripled(&mut x).grid(1).block(2).launch(&device).unwrap();
        assert_eq!(x.download().unwrap(), [6, -12]);
    }
}

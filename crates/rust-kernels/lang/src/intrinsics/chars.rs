//! Characters: conversions from numbers, and ASCII methods. A `char` is its code point, in a register of 32 bits. Rust has no other
//! conversion to `char`, so each is a valid code point. Buffers hold bytes and numbers.
//!
//! ```
//! # use lanework::prelude::*;
//! #[device]
//! fn is_hexadecimal(text: &[u8]) -> bool {
//!     text.iter().all(|&byte| (byte as char).is_digit(16))
//! }
//!
//! assert!(is_hexadecimal(b"7fE0") && !is_hexadecimal(b"7g"));
//! ```

use crate::data::leaves::Values;
use crate::emit::current::here;
use crate::flow::branch::select;
use crate::library::option::OptionOf;
use crate::scalar::cast::Cast;
use crate::scalar::compare::Order;
use crate::scalar::var::{IntoVar, Var};

/// `char::from_u32(number)`.
#[track_caller]
pub fn char_from_u32(number: impl IntoVar<u32>) -> OptionOf<Values, char> {
    here();
    let number = number.into_var();
    let surrogate = number.ge(0xD800u32) & number.le(0xDFFFu32);
    let valid = number.le(0x10_FFFFu32) & !surrogate;
    // A number that is none gives no `char`, as the value of a `None` is never read.
    OptionOf::new(valid, Var::new(number.value))
}

macro_rules! of_bytes {
    ($($name:ident)*) => {$(
        /// As the method of `u8`; false for any other character.
        #[track_caller]
        pub fn $name(self) -> Var<bool> {
            self.is_ascii() & self.byte().$name()
        }
    )*};
}

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn class(c: char) -> u32 {
///     let kinds = [c.is_ascii_digit(), c.is_ascii_alphabetic(), c.is_ascii_whitespace(), c.is_ascii_punctuation()];
///     let mut flags = 0;
///     for k in 0..4 {
///         flags |= (kinds[k] as u32) << k;
///     }
///     flags | c.to_digit(16).unwrap_or(20) << 8 | (c.to_ascii_uppercase() as u32) << 16 | (c.len_utf8() as u32) << 4
/// }
///
/// #[device]
/// fn of(number: u32) -> u32 {
///     match char::from_u32(number) {
///         Some('é') => 1,
///         Some(c @ ('a'..='z' | 'A'..='Z')) => class(c),
///         Some(c) if c > 'z' => class(c) + 1,
///         Some(c) => u32::from(c),
///         None => class(char::from(number as u8)),
///     }
/// }
///
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[thread_idx.x] = of(x[thread_idx.x]);
/// }
/// # let device = Device::emulator();
/// let numbers: Vec<u32> = (0..256).chain([0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10FFFF, 0x110000]).collect();
/// # let x = device.upload(&numbers)?;
/// # let mut out = device.zeros::<u32>(numbers.len())?;
/// # example(&x, &mut out).grid(1).block(numbers.len() as u32).launch(&device)?;
/// assert_eq!(out.download()?, numbers.iter().map(|&n| of(n)).collect::<Vec<_>>());
/// # Ok::<(), lanework::Error>(())
/// ```
impl Var<char> {
    fn code(self) -> Var<u32> {
        Var::new(self.value)
    }

    fn byte(self) -> Var<u8> {
        Cast::<u8>::cast(self.code())
    }

    /// Whether its code point is below 128.
    #[track_caller]
    pub fn is_ascii(self) -> Var<bool> {
        here();
        self.code().le(127u32)
    }

    of_bytes! {
        is_ascii_digit is_ascii_hexdigit is_ascii_lowercase is_ascii_uppercase is_ascii_alphabetic
        is_ascii_alphanumeric is_ascii_whitespace is_ascii_punctuation is_ascii_graphic is_ascii_control
    }

    /// The lower case of an ASCII letter; other characters are unchanged.
    #[track_caller]
    pub fn to_ascii_lowercase(self) -> Var<char> {
        let upper = self.is_ascii_uppercase();
        Var::new(select::<u32>(upper, self.code() | 0x20u32, self.code()).value)
    }

    /// The upper case of an ASCII letter; other characters are unchanged.
    #[track_caller]
    pub fn to_ascii_uppercase(self) -> Var<char> {
        let lower = self.is_ascii_lowercase();
        Var::new(select::<u32>(lower, self.code() & 0xFFFF_FFDFu32, self.code()).value)
    }

    /// The value of a digit below `radix`, which is at most 36.
    #[track_caller]
    pub fn to_digit(self, radix: impl IntoVar<u32>) -> OptionOf<Values, u32> {
        here();
        let code = self.code();
        let letter = (code | 0x20u32) - 97u32;
        let digit = select::<u32>(code.le(57u32), code - 48u32, letter + 10u32);
        // Below `0` and between `9` and `A`, the subtraction wraps or the letter is above 35.
        let known = digit.lt(radix.into_var()) & (code.le(57u32) | letter.lt(26u32));
        OptionOf::new(known, digit)
    }

    /// Whether it is a digit below `radix`.
    #[track_caller]
    pub fn is_digit(self, radix: impl IntoVar<u32>) -> Var<bool> {
        self.to_digit(radix).is_some()
    }

    /// The number of its bytes in UTF-8.
    #[track_caller]
    pub fn len_utf8(self) -> Var<usize> {
        here();
        let code = self.code();
        let more = |from: u32| -> Var<usize> { Cast::<usize>::cast(code.ge(from)) };
        more(0x80) + more(0x800) + more(0x1_0000) + 1usize
    }
}

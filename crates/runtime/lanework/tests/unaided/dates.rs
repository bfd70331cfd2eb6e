//! Dates: parses ISO dates, and finds the weekday, the day number and the end of a term of months.
use lanework::prelude::*;

mod calendar {
    use lanework::prelude::*;

    const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

    #[device]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Date {
        pub year: i32,
        pub month: u32,
        pub day: u32,
    }

    #[device]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Weekday {
        Monday,
        Tuesday,
        Wednesday,
        Thursday,
        Friday,
        Saturday,
        Sunday,
    }

    #[device]
    impl Weekday {
        pub fn is_weekend(self) -> bool {
            matches!(self, Weekday::Saturday | Weekday::Sunday)
        }

        fn from_index(index: i32) -> Option<Self> {
            use Weekday::*;
            Some(match index {
                0 => Monday,
                1 => Tuesday,
                2 => Wednesday,
                3 => Thursday,
                4 => Friday,
                5 => Saturday,
                6 => Sunday,
                _ => return None,
            })
        }
    }

    #[device]
    pub const fn is_leap(year: i32) -> bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    #[device]
    pub fn days_in(year: i32, month: u32) -> u32 {
        let extra = if month == 2 && is_leap(year) { 1 } else { 0 };
        LENGTHS[month as usize - 1] + extra
    }

    #[device]
    fn number(digits: &[u8]) -> Option<u32> {
        let mut value = 0;
        for &d in digits {
            if !d.is_ascii_digit() {
                return None;
            }
            value = value * 10 + u32::from(d - b'0');
        }
        Some(value)
    }

    #[device]
    impl Date {
        pub const EPOCH: Date = Date { year: 1970, month: 1, day: 1 };

        pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
            let valid = (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
            valid.then_some(Date { year, month, day })
        }

        pub fn parse(text: &[u8]) -> Option<Self> {
            let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *text else {
                return None;
            };
            Date::new(number(&[y0, y1, y2, y3])? as i32, number(&[m0, m1])?, number(&[d0, d1])?)
        }

        /// Days since 1970-01-01.
        pub fn days(self) -> i32 {
            let (y, m) = if self.month <= 2 {
                (self.year - 1, self.month + 9)
            } else {
                (self.year, self.month - 3)
            };
            let era = y.div_euclid(400);
            let of_era = y.rem_euclid(400);
            let of_year = (153 * m + 2) / 5 + self.day - 1;
            era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year as i32 - 719_468
        }

        pub fn weekday(self) -> Option<Weekday> {
            Weekday::from_index((self.days() + 3).rem_euclid(7))
        }

        pub fn add_months(self, months: u32) -> Self {
            let total = self.month - 1 + months;
            let (year, month) = (self.year + (total / 12) as i32, total % 12 + 1);
            Date { year, month, day: self.day.min(days_in(year, month)) }
        }
    }
}

use calendar::Date;

#[kernel]
fn terms(
    texts: &[[u8; 10]],
    months: u32,
    days: &mut [i32],
    weekend: &mut [bool],
    ends: &mut [(i32, u32, u32)],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i >= texts.len() {
        return;
    }
    match Date::parse(&texts[i]) {
        Some(date) if date >= Date::EPOCH => {
            let end = date.add_months(months);
            days[i] = date.days();
            weekend[i] = date.weekday().is_some_and(|w| w.is_weekend());
            ends[i] = (end.year, end.month, end.day);
        }
        Some(_) => days[i] = -1,
        None => days[i] = -2,
    }
}

#[test]
fn dates() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    // Counts forward from a known Thursday.
    let month_days = |y: i32, m: u32| match m {
        2 if y % 400 == 0 || (y % 4 == 0 && y % 100 != 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let (mut texts, mut want) = (Vec::<[u8; 10]>::new(), Vec::new());
    let (mut y, mut m, mut d) = (1970, 1u32, 1u32);
    for n in 0..50_000 {
        if n % 331 == 0 || (m == 2 && d == 29) {
            texts.push(format!("{y:04}-{m:02}-{d:02}").into_bytes().try_into().unwrap());
            let later = m + 18;
            let (ey, em) = if later > 24 { (y + 2, later - 24) } else { (y + 1, later - 12) };
            want.push((n, matches!(n % 7, 2 | 3), (ey, em, d.min(month_days(ey, em)))));
        }
        d += 1;
        if d > month_days(y, m) {
            (m, d) = (m + 1, 1);
        }
        if m > 12 {
            (y, m) = (y + 1, 1);
        }
    }
    for (text, code) in [
        (b"1969-12-31", -1),
        (b"2023-02-29", -2),
        (b"2023-13-01", -2),
        (b"2023/01/01", -2),
        (b"20x3-01-01", -2),
    ] {
        texts.push(*text);
        want.push((code, false, (0, 0, 0)));
    }
    let count = texts.len();
    let mut days = device.zeros::<i32>(count)?;
    let mut weekend = device.upload(&vec![false; count])?;
    let mut ends = device.upload(&vec![(0i32, 0u32, 0u32); count])?;
    terms(&device.upload(&texts)?, 18, &mut days, &mut weekend, &mut ends)
        .grid((count as u32).div_ceil(64))
        .block(64)
        .launch(&device)?;
    let (days, weekend, ends) = (days.download()?, weekend.download()?, ends.download()?);
    for (i, &want) in want.iter().enumerate() {
        assert_eq!((days[i], weekend[i], ends[i]), want, "{}", String::from_utf8_lossy(&texts[i]));
    }
    Ok(())
}

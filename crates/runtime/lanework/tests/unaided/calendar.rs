//! Date arithmetic: weekdays, leap years, and the date after some days.
use lanework::prelude::*;

mod calendar {
    use lanework::prelude::*;
    use std::ops::{Add, Sub};

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
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[repr(C)]
    pub struct Date {
        pub year: i32,
        pub month: u8,
        pub day: u8,
    }

    const DAYS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

    #[device]
    pub fn is_leap(year: i32) -> bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    #[device]
    fn month_length(year: i32, month: u8) -> Option<u8> {
        match month {
            2 if is_leap(year) => Some(29),
            1..=12 => Some(DAYS[month as usize - 1]),
            _ => None,
        }
    }

    #[device]
    impl Date {
        pub fn new(year: i32, month: u8, day: u8) -> Option<Date> {
            let length = month_length(year, month)?;
            (1..=length).contains(&day).then_some(Date { year, month, day })
        }

        /// Days since the first of January 1970.
        pub fn number(self) -> i32 {
            let y = if self.month <= 2 { self.year - 1 } else { self.year };
            let era = y.div_euclid(400);
            let of_era = y.rem_euclid(400);
            let m = (self.month as i32 + 9) % 12;
            let of_year = (153 * m + 2) / 5 + self.day as i32 - 1;
            era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
        }

        pub fn weekday(self) -> Weekday {
            use Weekday::*;
            const ALL: [Weekday; 7] =
                [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday];
            ALL[(self.number() + 3).rem_euclid(7) as usize]
        }
    }

    #[device]
    impl Sub for Date {
        type Output = i32;
        fn sub(self, other: Date) -> i32 {
            self.number() - other.number()
        }
    }

    #[device]
    impl Add<u32> for Date {
        type Output = Date;
        fn add(self, days: u32) -> Date {
            let Date { mut year, mut month, day } = self;
            let mut day = day as u32 + days;
            while let Some(length) = month_length(year, month) {
                if day <= length as u32 {
                    break;
                }
                day -= length as u32;
                (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            }
            Date { year, month, day: day as u8 }
        }
    }
}

use calendar::{Date, Weekday, is_leap};

#[kernel]
fn dates(
    input: &[(i32, u8, u8)],
    days: u32,
    weekdays: &mut [Weekday],
    later: &mut [Date],
    leap: &mut [bool],
    weekend: &mut [u32],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= input.len() {
        return;
    }
    let (year, month, day) = input[i];
    leap[i] = is_leap(year);
    if let Some(date) = Date::new(year, month, day) {
        weekdays[i] = date.weekday();
        later[i] = date + days;
        assert!(later[i] > date && later[i] - date == days as i32);
        if matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
            atomic_add(&mut weekend[0], 1);
        }
    }
}

#[test]
fn dates_match() -> lanework::Result<()> {
    // Every day of 1895 to 1905, and some that do not exist.
    let lengths = |y: i32| {
        [31, if y % 4 == 0 && y != 1900 { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    };
    let mut valid = Vec::new();
    for year in 1895..=1905 {
        for (m, length) in lengths(year).into_iter().enumerate() {
            valid.extend((1..=length).map(|day| (year, m as u8 + 1, day)));
        }
    }
    let mut input = valid[..valid.len() - 100].to_vec();
    let count = input.len();
    input.extend([(1900, 2, 29), (1904, 13, 1), (1904, 6, 0), (1904, 6, 31)]);

    let device = Device::emulator().sanitized();
    let nothing = Date { year: 0, month: 0, day: 0 };
    let mut weekdays = device.upload(&vec![Weekday::Monday; input.len()])?;
    let mut later = device.upload(&vec![nothing; input.len()])?;
    let mut leap = device.zeros::<bool>(input.len())?;
    let mut weekend = device.zeros::<u32>(1)?;
    dates(&device.upload(&input)?, 100, &mut weekdays, &mut later, &mut leap, &mut weekend)
        .grid((input.len() as u32).div_ceil(128))
        .block(128)
        .launch(&device)?;
    let (weekdays, later, leap) = (weekdays.download()?, later.download()?, leap.download()?);
    for i in 0..count {
        let (year, month, day) = valid[i + 100];
        assert_eq!(later[i], Date { year, month, day });
        assert_eq!(weekdays[i] as usize, (i + 1) % 7, "{:?}", input[i]); // 1895-01-01 was a Tuesday
        assert_eq!(leap[i], lengths(input[i].0)[1] == 29);
    }
    assert_eq!(later[count..], [nothing; 4]);
    assert_eq!(weekend.download()?[0] as usize, (0..count).filter(|i| (i + 1) % 7 >= 5).count());
    Ok(())
}

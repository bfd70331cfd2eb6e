//! Values of generic and borrowed types: type parameters with bounds of Rust's library, structs that hold slices, users' iterators,
//! orders of whole values, buffers of tuples, `bool` and enums, methods that change an array in its place. The host calls the same
//! functions.

// The tests are written as a user may write them.
#![allow(
    clippy::non_canonical_partial_ord_impl,
    clippy::while_let_on_iterator,
    clippy::redundant_closure
)]

use lanework::prelude::*;
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::{Add, Index, IndexMut, Mul};

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Task {
    cost: u32,
    id: u16,
}

#[device]
impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[device]
impl Ord for Task {
    /// The cheapest task is the largest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.cmp(&self.cost).then_with(|| self.id.cmp(&other.id))
    }
}

#[device]
fn largest<T: PartialOrd + Copy>(items: &[T]) -> Option<T> {
    let mut best = *items.first()?;
    for &item in items {
        if item > best {
            best = item;
        }
    }
    Some(best)
}

#[device]
fn sum<T>(items: &[T]) -> T
where
    T: Copy + Default + Add<Output = T>,
{
    items.iter().fold(T::default(), |sum, &item| sum + item)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Components<T, const N: usize>([T; N]);

#[device]
impl<T: Copy + Default + Add<Output = T> + Mul<Output = T>, const N: usize> Components<T, N> {
    fn new(parts: [T; N]) -> Self {
        Components(parts)
    }

    fn dot(&self, other: &Self) -> T {
        self.0.iter().zip(other.0.iter()).fold(T::default(), |sum, (x, y)| sum + *x * *y)
    }
}

#[device]
impl<T: Copy, const N: usize> Index<usize> for Components<T, N> {
    type Output = T;
    fn index(&self, index: usize) -> &T {
        &self.0[index]
    }
}

#[device]
impl<T: Copy, const N: usize> IndexMut<usize> for Components<T, N> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.0[index]
    }
}

/// A stack, and a mark that has no value.
#[device]
#[derive(Clone, Copy)]
struct Stack<T, M, const N: usize> {
    items: [Option<T>; N],
    len: usize,
    mark: PhantomData<M>,
}

#[device]
impl<T: Copy, M, const N: usize> Stack<T, M, N> {
    fn new() -> Self {
        Stack { items: [None; N], len: 0, mark: PhantomData }
    }

    fn push(&mut self, item: T) -> Result<(), T> {
        *self.items.get_mut(self.len).ok_or(item)? = Some(item);
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.items[self.len].take()
    }
}

#[device]
fn of_values(tasks: &[Task], pairs: &[(u16, u8)], at: usize) -> [u32; 8] {
    let best = largest(tasks).unwrap();
    let last = tasks.iter().copied().max().unwrap();
    let cheapest = tasks.iter().min_by_key(|task| (task.cost, task.id)).unwrap();
    let pair = largest(pairs).unwrap_or_default();
    let mut vector = Components::new([1u32, 2, 3]);
    vector[at % 3] = 7;
    vector[2] += vector[at % 3];
    let mut stack = Stack::<(u16, u8), Task, 4>::new();
    let mut left = 0;
    for &pair in pairs {
        left += stack.push(pair).is_err() as u32;
    }
    let mut order = 0;
    while let Some((a, b)) = stack.pop() {
        order = order * 7 + (a as u32 ^ b as u32);
    }
    let task = std::cmp::max(tasks[0].cost, tasks[1].cost) + tasks[0].max(tasks[1]).cost;
    let equal = (tasks[0], pairs[0]) == (tasks[1], pairs[0]) || Some(tasks[0]) < Some(tasks[1]);
    [
        best.cost + (best == last) as u32 + cheapest.cost,
        pair.0 as u32 * 256 + pair.1 as u32,
        vector.dot(&Components([1, 10, 100])),
        left,
        order,
        task,
        equal as u32 + 2 * (pairs[0] < pairs[1]) as u32,
        sum(&vector.0) + sum(&[1, 2, 3]),
    ]
}

#[kernel]
fn values(tasks: &[Task], pairs: &[(u16, u8)], out: &mut [[u32; 8]]) {
    out[thread_idx.x] = of_values(tasks, pairs, thread_idx.x as usize);
}

#[test]
fn type_parameters_are_values() -> lanework::Result<()> {
    for device in Device::for_tests("generic values") {
        let tasks = [(5, 1), (3, 9), (7, 2), (3, 4)].map(|(cost, id)| Task { cost, id });
        let pairs = [(3, 200), (9, 1), (9, 4), (2, 255), (1, 1), (0, 3)];
        let (on_tasks, on_pairs) = (device.upload(&tasks)?, device.upload(&pairs)?);
        assert_eq!(on_pairs.download()?, pairs);
        let mut out = device.zeros::<[u32; 8]>(5)?;
        values(&on_tasks, &on_pairs, &mut out).grid(1).block(5).launch(&device)?;
        let expected: Vec<_> = (0..5).map(|at| of_values(&tasks, &pairs, at)).collect();
        assert_eq!(out.download()?, expected);
    }
    Ok(())
}

/// The words of a text.
#[device]
#[derive(Clone, Copy)]
struct SpacedWords<'a> {
    rest: &'a [u8],
}

#[device]
impl<'a> Iterator for SpacedWords<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&c| c == b' ').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

#[device]
impl<'a> SpacedWords<'a> {
    fn of(rest: &'a [u8]) -> Self {
        SpacedWords { rest }
    }
}

#[device]
fn value_of(word: &[u8]) -> i64 {
    match word {
        b"one" => 1,
        b"two" => 2,
        [b'-', digits @ ..] => -value_of_digits(digits).unwrap_or(0),
        _ if word.starts_with(b"0x") => 16,
        _ => value_of_digits(word).unwrap_or(-1),
    }
}

#[device]
fn value_of_digits(digits: &[u8]) -> Option<i64> {
    let mut value = 0i64;
    let mut rest = digits.iter().peekable();
    while let Some(&digit) = rest.next() {
        value = value * 10 + (digit as char).to_digit(10)? as i64;
    }
    Some(value)
}

#[device]
fn of_words(text: &[u8]) -> [i64; 6] {
    let mut sum = 0;
    for (k, word) in SpacedWords::of(text).enumerate() {
        sum += value_of(word) * (k as i64 + 1);
    }
    let long = SpacedWords::of(text).filter(|word| word.len() > 2).count() as i64;
    let mut words = SpacedWords { rest: text };
    let second = words.nth(1).map_or(-9, |word| value_of(word));
    let third = words.next().map(|word| word == b"two").unwrap_or_default() as i64;
    let firsts: i64 = SpacedWords::of(text).take(2).map(|word| word.len() as i64).sum();
    let part = text.get(1..3).map_or(-1, |part| part[0] as i64);
    [sum, long, second, third, firsts + 100 * SpacedWords::of(text).by_ref().count() as i64, part]
}

#[kernel]
fn words(text: &[u8], ends: &[(u32, u32)], out: &mut [[i64; 6]]) {
    let (start, end) = ends[thread_idx.x];
    out[thread_idx.x] = of_words(&text[start as usize..end as usize]);
}

#[test]
fn structs_hold_slices_and_iterate() -> lanework::Result<()> {
    for device in Device::for_tests("structs with slices") {
        let lines = ["one 12 two", "", " -5  two 0x1f seven ", "9", "a b two d e"];
        let text = lines.concat().into_bytes();
        let mut at = 0;
        let ends = lines.map(|line| {
            let start = at;
            at += line.len() as u32;
            (start, at)
        });
        let (on_text, on_ends) = (device.upload(&text)?, device.upload(&ends)?);
        let mut out = device.zeros::<[i64; 6]>(lines.len())?;
        words(&on_text, &on_ends, &mut out).grid(1).block(lines.len() as u32).launch(&device)?;
        assert_eq!(out.download()?, lines.map(|line| of_words(line.as_bytes())));
    }
    Ok(())
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Grade {
    Low = 1,
    Middle = 5,
    High = 9,
}

/// A struct with padding.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    level: Grade,
    valid: bool,
    value: f64,
    at: (u8, u16),
}

#[device]
fn reading(x: f64, at: u16) -> Reading {
    let level = match x {
        x if x < 1.0 => Grade::Low,
        x if x < 10.0 => Grade::Middle,
        _ => Grade::High,
    };
    Reading { level, valid: level >= Grade::Middle && at != 2, value: -x, at: (7, at) }
}

#[kernel]
fn readings(x: &[f64], out: &mut [Reading], valid: &mut [bool], levels: &mut [Grade]) {
    let i = thread_idx.x as usize;
    out[i] = reading(x[i], i as u16);
    (valid[i], levels[i]) = (out[i].valid, out[i].level);
    if valid[i] {
        levels[i] = Grade::Low;
    }
}

#[test]
fn buffers_hold_bools_tuples_enums_and_padding() -> lanework::Result<()> {
    for device in Device::for_tests("buffers of any values") {
        let x = [0.5, 3.0, 20.0, 11.0];
        let on = device.upload(&x)?;
        let mut out = device.upload(&[reading(1e9, 9); 4])?;
        let (mut valid, mut levels) = (device.upload(&[true; 4])?, device.zeros::<Grade>(4)?);
        assert!(levels.download().unwrap_err().to_string().contains("no value of type"));
        readings(&on, &mut out, &mut valid, &mut levels).grid(1).block(4).launch(&device)?;
        let expected = [0, 1, 2, 3].map(|i| reading(x[i], i as u16));
        assert_eq!(out.download()?, expected);
        assert_eq!(valid.download()?, expected.map(|one| one.valid));
        assert_eq!(levels.download()?, [Grade::Low, Grade::Low, Grade::High, Grade::Low]);
    }
    Ok(())
}

#[device]
fn next(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as u32
}

#[device]
fn shuffle<T: Copy>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for i in (1..items.len()).rev() {
        items.swap(i, next(&mut state) as usize % (i + 1));
    }
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Settings<T> {
    low: T,
    high: T,
    step: u32,
}

#[device]
fn of_defaults(x: u32) -> u32 {
    fn twice(v: u32) -> u32 {
        v * 2
    }
    #[derive(Clone, Copy)]
    struct Local {
        v: u32,
    }
    let Settings { low, high, step } = Settings { low: x, ..Default::default() };
    let none: Settings<u32> = Default::default();
    let [mut m, mut n] = [x, 7];
    [m, n] = [n, m];
    let field = Settings { low: 1u32, high: Default::default(), step: twice(x) };
    low + high + step + none.high + m * 100 + n + field.step + Local { v: x }.v
}

#[device]
fn of_arrays(x: &[u32], seed: u64) -> [u32; 8] {
    let mut a = [0; 7];
    for (slot, value) in a.iter_mut().zip(x) {
        *slot = *value;
    }
    shuffle(&mut a, seed);
    let first = a[0];
    shuffle(&mut a[2..6], seed + 1);
    a[1..5].rotate_left(seed as usize % 4);
    a.rotate_right(2);
    a.reverse();
    let middle = a[3];
    let mut b = a;
    b.sort_by_key(|v| v % 10);
    a.sort_unstable();
    let held = a.contains(&30) as u32 + 2 * a[2..].contains(&a[0]) as u32;
    a.fill(b[1]);
    let mut slot = Some(first);
    let old = slot.take().unwrap_or(0) + slot.replace(4).unwrap_or(2);
    let end = b.last().copied().unwrap_or(0) + b.get(seed as usize % 9).copied().unwrap_or(500);
    [first, middle, b[0], b[6], held, a[5], old + slot.map_or(0, |v| v), end + of_defaults(middle)]
}

#[kernel]
fn arrays(x: &[u32], out: &mut [[u32; 8]]) {
    out[thread_idx.x] = of_arrays(x, thread_idx.x as u64 + 1);
}

#[test]
fn methods_change_arrays_and_options_in_place() -> lanework::Result<()> {
    for device in Device::for_tests("arrays changed in place") {
        let x = [31, 14, 25, 30, 9, 72, 51];
        let on = device.upload(&x)?;
        let mut out = device.zeros::<[u32; 8]>(20)?;
        arrays(&on, &mut out).grid(1).block(20).launch(&device)?;
        let expected: Vec<_> = (0..20).map(|i| of_arrays(&x, i + 1)).collect();
        assert_eq!(out.download()?, expected);
    }
    Ok(())
}

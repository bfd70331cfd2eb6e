//! Jacobi iterations with a sparse matrix in compressed rows.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Sparse<'a> {
    starts: &'a [u32],
    columns: &'a [u32],
    values: &'a [f32],
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum SparseProblem {
    ZeroDiagonal,
    NotDominant { by: f32 },
}

#[device]
impl<'a> Sparse<'a> {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn row(&self, r: usize) -> impl Iterator<Item = (usize, f32)> + 'a {
        let (start, end) = (self.starts[r] as usize, self.starts[r + 1] as usize);
        let (columns, values) = (&self.columns[start..end], &self.values[start..end]);
        columns.iter().map(|&c| c as usize).zip(values.iter().copied())
    }

    fn dot(&self, r: usize, x: &[f32]) -> f32 {
        self.row(r).map(|(c, v)| v * x[c]).sum()
    }

    fn diagonal(&self, r: usize) -> Option<f32> {
        self.row(r).find(|&(c, _)| c == r).map(|(_, v)| v).filter(|v| *v != 0.0)
    }

    fn relax(&self, r: usize, x: &[f32], b: f32) -> Result<f32, SparseProblem> {
        let diagonal = self.diagonal(r).ok_or(SparseProblem::ZeroDiagonal)?;
        let others: f32 = self.row(r).filter(|&(c, _)| c != r).map(|(_, v)| v.abs()).sum();
        if others > diagonal.abs() {
            return Err(SparseProblem::NotDominant { by: others - diagonal.abs() });
        }
        Ok(x[r] + (b - self.dot(r, x)) / diagonal)
    }
}

#[kernel]
fn jacobi(
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    b: &[f32],
    x: &[f32],
    next: &mut [f32],
    worst: &mut [u32],
    problems: &mut [(u32, f32)],
) {
    let matrix = Sparse { starts, columns, values };
    let r = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let mut change = 0.0f32;
    if r < matrix.rows() {
        match matrix.relax(r, x, b[r]) {
            Ok(value) => {
                change = (value - x[r]).abs();
                next[r] = value;
            }
            Err(SparseProblem::ZeroDiagonal) => problems[r] = (1, 0.0),
            Err(SparseProblem::NotDominant { by }) => problems[r] = (2, by),
        }
    }
    for offset in [16, 8, 4, 2, 1] {
        change = change.max(shfl_xor_sync(FULL_MASK, change, offset));
    }
    if lane_id() == 0 {
        // The bits of floats that are not negative are ordered like the floats.
        atomic_max(&mut worst[0], change.to_bits());
    }
}

fn compress(dense: &[Vec<f32>]) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
    let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
    for row in dense {
        for (c, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            columns.push(c as u32);
            values.push(v);
        }
        starts.push(values.len() as u32);
    }
    (starts, columns, values)
}

#[test]
fn solves_a_system() -> lanework::Result<()> {
    let n = 70;
    let mut dense = vec![vec![0.0f32; n]; n];
    for r in 0..n {
        dense[r][r] = 5.0 + (r % 3) as f32;
        dense[r][(r + 1) % n] = -1.0;
        dense[r][(r * 7 + 3) % n] += 1.5;
    }
    let (starts, columns, values) = compress(&dense);
    let solution: Vec<f32> = (0..n).map(|i| (i % 9) as f32 - 4.0).collect();
    let b: Vec<f32> =
        dense.iter().map(|row| row.iter().zip(&solution).map(|(a, x)| a * x).sum()).collect();

    let device = Device::emulator().sanitized();
    let (starts, columns, values) =
        (device.upload(&starts)?, device.upload(&columns)?, device.upload(&values)?);
    let b = device.upload(&b)?;
    let mut x = device.zeros::<f32>(n)?;
    let mut next = device.zeros::<f32>(n)?;
    let mut problems = device.zeros::<(u32, f32)>(n)?;
    let mut steps = 0;
    loop {
        let mut worst = device.zeros::<u32>(1)?;
        jacobi(&starts, &columns, &values, &b, &x, &mut next, &mut worst, &mut problems)
            .grid(3)
            .block(32)
            .launch(&device)?;
        std::mem::swap(&mut x, &mut next);
        steps += 1;
        if f32::from_bits(worst.download()?[0]) < 1e-5 {
            break;
        }
        assert!(steps < 100, "does not converge");
    }
    assert_eq!(problems.download()?, vec![(0, 0.0); n]);
    for (got, want) in x.download()?.iter().zip(&solution) {
        assert!((got - want).abs() < 1e-3, "{got} {want}");
    }
    Ok(())
}

#[test]
fn reports_problems() -> lanework::Result<()> {
    let dense = vec![vec![2.0, 1.0, 0.0], vec![1.0, 0.0, 1.0], vec![3.0, 2.0, 1.0]];
    let (starts, columns, values) = compress(&dense);
    let device = Device::emulator().sanitized();
    let (b, x) = (device.upload(&[4.0f32, 1.0, 1.0])?, device.zeros::<f32>(3)?);
    let mut next = device.zeros::<f32>(3)?;
    let mut worst = device.zeros::<u32>(1)?;
    let mut problems = device.zeros::<(u32, f32)>(3)?;
    jacobi(
        &device.upload(&starts)?,
        &device.upload(&columns)?,
        &device.upload(&values)?,
        &b,
        &x,
        &mut next,
        &mut worst,
        &mut problems,
    )
    .grid(1)
    .block(32)
    .launch(&device)?;
    assert_eq!(next.download()?, [2.0, 0.0, 0.0]);
    assert_eq!(problems.download()?, [(0, 0.0), (1, 0.0), (2, 4.0)]);
    Ok(())
}

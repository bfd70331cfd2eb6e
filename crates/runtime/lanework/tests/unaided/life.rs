//! The Game of Life and its relatives on a torus, with a shared tile and a border of one cell.
use lanework::prelude::*;

const WIDTH: usize = 16;
const HEIGHT: usize = 8;
const NEIGHBORS: [(isize, isize); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

#[device]
trait Rule {
    const BORN: &'static [usize];
    const SURVIVES: &'static [usize];
    fn next(alive: bool, neighbors: usize) -> bool {
        let list = if alive { Self::SURVIVES } else { Self::BORN };
        list.contains(&neighbors)
    }
}

#[device]
struct Conway;

#[device]
struct HighLife;

#[device]
impl Rule for Conway {
    const BORN: &'static [usize] = &[3];
    const SURVIVES: &'static [usize] = &[2, 3];
}

#[device]
impl Rule for HighLife {
    const BORN: &'static [usize] = &[3, 6];
    const SURVIVES: &'static [usize] = &[2, 3];
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Statistics {
    alive: u32,
    births: u32,
    deaths: u32,
}

#[device]
fn wrap(at: usize, offset: isize, size: usize) -> usize {
    (at as isize + offset).rem_euclid(size as isize) as usize
}

#[kernel]
fn generation<R: Rule>(
    cells: &[bool],
    next: &mut [bool],
    columns: u32,
    statistics: &mut [Statistics],
) {
    let tile = shared::<[[bool; WIDTH + 2]; HEIGHT + 2]>();
    let columns = columns as usize;
    let rows = cells.len() / columns;
    let (x0, y0) = (block_idx.x as usize * WIDTH, block_idx.y as usize * HEIGHT);
    let (tx, ty) = (thread_idx.x as usize, thread_idx.y as usize);

    for y in (ty..HEIGHT + 2).step_by(HEIGHT) {
        for x in (tx..WIDTH + 2).step_by(WIDTH) {
            let row = wrap(y0 + y, -1, rows);
            let column = wrap(x0 + x, -1, columns);
            tile[y][x] = cells[row * columns + column];
        }
    }
    sync_threads();

    let (x, y) = (x0 + tx, y0 + ty);
    if x >= columns || y >= rows {
        return;
    }
    let neighbors = NEIGHBORS
        .iter()
        .filter(|&&(dx, dy)| {
            tile[(ty + 1).wrapping_add_signed(dy)][(tx + 1).wrapping_add_signed(dx)]
        })
        .count();
    let before = tile[ty + 1][tx + 1];
    let after = R::next(before, neighbors);
    next[y * columns + x] = after;
    let total = &mut statistics[0];
    match (before, after) {
        (true, true) => {
            atomic_add(&mut total.alive, 1);
        }
        (false, true) => {
            atomic_add(&mut total.alive, 1);
            atomic_add(&mut total.births, 1);
        }
        (true, false) => {
            atomic_add(&mut total.deaths, 1);
        }
        (false, false) => {}
    }
}

fn reference(cells: &[Vec<bool>], six: bool) -> (Vec<Vec<bool>>, Statistics) {
    let (h, w) = (cells.len(), cells[0].len());
    let mut statistics = Statistics::default();
    let mut next = cells.to_vec();
    for y in 0..h {
        for x in 0..w {
            let mut n = 0;
            for (dy, dx) in (0..9).map(|k| (k / 3, k % 3)).filter(|&d| d != (1, 1)) {
                n += cells[(y + h + dy - 1) % h][(x + w + dx - 1) % w] as u32;
            }
            let old = cells[y][x];
            let new = n == 3 || (old && n == 2) || (six && !old && n == 6);
            statistics.alive += new as u32;
            statistics.births += (new && !old) as u32;
            statistics.deaths += (old && !new) as u32;
            next[y][x] = new;
        }
    }
    (next, statistics)
}

fn play<R: Rule>(six: bool) -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (h, w) = (20usize, 35usize);
    let mut state = 12345u32;
    let mut world: Vec<Vec<bool>> = (0..h)
        .map(|_| {
            (0..w)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 30 == 0
                })
                .collect()
        })
        .collect();
    let mut now = device.upload(&world.concat())?;
    let mut next = device.upload(&vec![false; h * w])?;
    for step in 0..6 {
        let mut statistics = device.upload(&[Statistics::default()])?;
        generation::<R>(&now, &mut next, w as u32, &mut statistics)
            .grid((w.div_ceil(WIDTH) as u32, h.div_ceil(HEIGHT) as u32))
            .block((WIDTH as u32, HEIGHT as u32))
            .launch(&device)?;
        std::mem::swap(&mut now, &mut next);
        let (after, want) = reference(&world, six);
        world = after;
        assert_eq!(now.download()?, world.concat(), "step {step}");
        assert_eq!(statistics.download()?, [want]);
    }
    Ok(())
}

#[test]
fn conway() -> lanework::Result<()> {
    play::<Conway>(false)
}

#[test]
fn high_life() -> lanework::Result<()> {
    play::<HighLife>(true)
}

//! Bit boards: the squares that chess pieces attack, the captures among them, and their best target.
use lanework::prelude::*;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
struct Board(u64);

#[device]
impl Board {
    const EMPTY: Board = Board(0);
    const NOT_FILE_A: Board = Board(0xfefe_fefe_fefe_fefe);
    const NOT_FILE_H: Board = Board(0x7f7f_7f7f_7f7f_7f7f);

    fn square(index: u8) -> Board {
        Board(1 << index)
    }
    fn is_empty(self) -> bool {
        self == Board::EMPTY
    }
    fn squares(self) -> Squares {
        Squares { rest: self.0 }
    }
}

#[device]
impl BitAnd for Board {
    type Output = Board;
    fn bitand(self, other: Board) -> Board {
        Board(self.0 & other.0)
    }
}

#[device]
impl BitOr for Board {
    type Output = Board;
    fn bitor(self, other: Board) -> Board {
        Board(self.0 | other.0)
    }
}

#[device]
impl BitOrAssign for Board {
    fn bitor_assign(&mut self, other: Board) {
        self.0 |= other.0;
    }
}

#[device]
impl Not for Board {
    type Output = Board;
    fn not(self) -> Board {
        Board(!self.0)
    }
}

/// The indices of the set squares, lowest first.
#[device]
#[derive(Clone, Copy)]
struct Squares {
    rest: u64,
}

#[device]
impl Iterator for Squares {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        if self.rest == 0 {
            return None;
        }
        let index = self.rest.trailing_zeros() as u8;
        self.rest &= self.rest - 1;
        Some(index)
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    North,
    South,
    East,
    West,
}

#[device]
impl Direction {
    const ALL: [Direction; 4] =
        [Direction::North, Direction::South, Direction::East, Direction::West];

    fn shift(self, board: Board) -> Board {
        match self {
            Direction::North => Board(board.0 << 8),
            Direction::South => Board(board.0 >> 8),
            Direction::East => Board((board & Board::NOT_FILE_H).0 << 1),
            Direction::West => Board((board & Board::NOT_FILE_A).0 >> 1),
        }
    }

    fn is_vertical(self) -> bool {
        matches!(self, Self::North | Self::South)
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum ChessPiece {
    King,
    Knight,
    Rook,
}

#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Position {
    own: Board,
    enemy: Board,
    piece: ChessPiece,
    square: u8,
}

#[device]
fn attacks(piece: ChessPiece, from: Board, occupied: Board) -> Board {
    let mut all = Board::EMPTY;
    match piece {
        ChessPiece::King => {
            let row = from | Direction::East.shift(from) | Direction::West.shift(from);
            all = (row | Direction::North.shift(row) | Direction::South.shift(row)) & !from;
        }
        ChessPiece::Knight => {
            for first in Direction::ALL {
                let two = first.shift(first.shift(from));
                for second in
                    Direction::ALL.iter().filter(|d| d.is_vertical() != first.is_vertical())
                {
                    all |= second.shift(two);
                }
            }
        }
        ChessPiece::Rook => {
            for direction in Direction::ALL {
                let mut ray = direction.shift(from);
                while !ray.is_empty() {
                    all |= ray;
                    if !(ray & occupied).is_empty() {
                        break;
                    }
                    ray = direction.shift(ray);
                }
            }
        }
    }
    all
}

#[kernel]
fn analyze(
    positions: &[Position],
    values: &[u8],
    moves: &mut [Board],
    captures: &mut [u32],
    target: &mut [i32],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= positions.len() {
        return;
    }
    let Position { own, enemy, piece, square } = positions[i];
    let reach = attacks(piece, Board::square(square), own | enemy) & !own;
    moves[i] = reach;
    captures[i] = (reach & enemy).squares().map(|s| values[s as usize] as u32).sum();
    let mut best: Option<u8> = None;
    for s in (reach & enemy).squares() {
        if best.is_none_or(|b| values[s as usize] > values[b as usize]) {
            best = Some(s);
        }
    }
    target[i] = best.map_or(-1, |s| s as i32);
}

/// With coordinates in place of bits.
fn reference(p: &Position) -> u64 {
    let (x, y) = (p.square as i32 % 8, p.square as i32 / 8);
    let (steps, far): (Vec<(i32, i32)>, i32) = match p.piece {
        ChessPiece::King => {
            ((0..9i32).map(|k| (k % 3 - 1, k / 3 - 1)).filter(|d| *d != (0, 0)).collect(), 1)
        }
        ChessPiece::Knight => (
            (0..25i32)
                .map(|k| (k % 5 - 2, k / 5 - 2))
                .filter(|(a, b)| a * a + b * b == 5)
                .collect(),
            1,
        ),
        ChessPiece::Rook => (vec![(1, 0), (-1, 0), (0, 1), (0, -1)], 7),
    };
    let mut moves = 0;
    for (dx, dy) in steps {
        for k in 1..=far {
            let (x, y) = (x + k * dx, y + k * dy);
            if !(0..8).contains(&x) || !(0..8).contains(&y) || p.own.0 >> (8 * y + x) & 1 == 1 {
                break;
            }
            moves |= 1u64 << (8 * y + x);
            if p.enemy.0 >> (8 * y + x) & 1 == 1 {
                break;
            }
        }
    }
    moves
}

#[test]
fn attacks_match() -> lanework::Result<()> {
    let pieces = [ChessPiece::King, ChessPiece::Knight, ChessPiece::Rook];
    let positions: Vec<Position> = (0..192u64)
        .map(|i| {
            let random = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (own, enemy) =
                (random & random.rotate_left(23), random.rotate_left(40) & random.rotate_left(11));
            let square = (i % 64) as u8;
            let own = own | 1 << square;
            Position {
                own: Board(own),
                enemy: Board(enemy & !own),
                piece: pieces[i as usize / 64],
                square,
            }
        })
        .collect();
    let values: [u8; 64] = std::array::from_fn(|i| (i * 29 % 10) as u8);
    let device = Device::emulator().sanitized();
    let n = positions.len();
    let mut moves = device.upload(&vec![Board::EMPTY; n])?;
    let (mut captures, mut target) = (device.zeros::<u32>(n)?, device.zeros::<i32>(n)?);
    analyze(
        &device.upload(&positions)?,
        &device.upload(&values)?,
        &mut moves,
        &mut captures,
        &mut target,
    )
    .grid(3)
    .block(64)
    .launch(&device)?;
    let (moves, captures, target) = (moves.download()?, captures.download()?, target.download()?);
    for (i, p) in positions.iter().enumerate() {
        let want = reference(p);
        assert_eq!(moves[i].0, want, "{p:?}");
        let taken: Vec<usize> = (0..64).filter(|s| want & p.enemy.0 & (1 << s) != 0).collect();
        assert_eq!(captures[i], taken.iter().map(|&s| values[s] as u32).sum::<u32>());
        let best = taken.iter().rev().max_by_key(|&&s| values[s]);
        assert_eq!(target[i], best.map_or(-1, |&s| s as i32));
    }
    Ok(())
}

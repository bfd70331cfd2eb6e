//! Every kind of tile and alignment on a sanitized emulator, compared with the host.

use super::axes::{Axes, Matrices};
use super::launches::{narrowed, squared, tiled};
use super::narrow::Narrow;
use super::squares::Squares;
use super::tiles::Tile;
use super::*;

/// Numbered elements, as distinct as their size allows.
fn numbered<T: Storable + bytemuck::Pod>(count: usize) -> Vec<T> {
    let mut elements = vec![T::zeroed(); count];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
    for (i, element) in bytes.chunks_exact_mut(size_of::<T>()).enumerate() {
        let number = (i as u128).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_0C91_1234_5671);
        element.copy_from_slice(&number.to_le_bytes()[..size_of::<T>()]);
    }
    elements
}

/// A tile of one of the kernels.
#[derive(Clone, Copy, Debug)]
enum TestTile {
    Wide(Tile),
    Narrow(Narrow),
    Squares(Squares),
}

/// Checks a batch of `rows` x `cols` transposes with this tile; rows of both arrays have `gap` extra elements.
fn check<T: Storable + bytemuck::Pod + PartialEq + std::fmt::Debug>(
    (rows, cols): (usize, usize),
    (gap_in, gap_out): (usize, usize),
    first: usize,
    tile: TestTile,
) -> Result<()> {
    let device = Device::emulator().sanitized();
    let (from, to) = (cols + gap_in, rows + gap_out);
    let x = device.upload(&numbered::<T>(2 * rows * from))?;
    let host = x.download()?;
    let poison = numbered::<T>(2 * cols * to + first + 7).into_iter().rev().collect::<Vec<T>>();
    let mut y = device.upload(&poison)?;
    {
        let source = Tensor::with_strides(&x, [2, rows, cols], [rows * from, from, 1], 0)?;
        let output = TensorMut::with_strides(&mut y, [2, cols, rows], [cols * to, to, 1], first)?;
        let strides = [rows * from, 1, from];
        let out_strides = output.strides();
        let (source, output) = (source.into_view().cast::<u8>(), output.into_view().cast::<u8>());
        let addresses = [source.address(), output.address()];
        let shape = [2, cols, rows];
        let axes = Axes::new(size_of::<T>(), &shape, &strides, &out_strides, &addresses);
        let matrices = Matrices::new(&axes).expect("a transpose");
        match tile {
            TestTile::Wide(tile) => tiled(&device, source, output, &matrices, tile, true)?,
            TestTile::Squares(tile) => squared(&device, source, output, &matrices, tile, true)?,
            TestTile::Narrow(tile) => narrowed(&device, source, output, &matrices, tile)?,
        }
        .launch()?;
    }
    let mut want = poison;
    for b in 0..2 {
        for c in 0..cols {
            for r in 0..rows {
                want[first + (b * cols + c) * to + r] = host[(b * rows + r) * from + c];
            }
        }
    }
    let found = y.download()?;
    let wrong = found.iter().zip(&want).position(|(found, want)| found != want);
    assert_eq!(wrong, None, "{rows} x {cols}, gaps {gap_in}, {gap_out}, first {first}, {tile:?}");
    Ok(())
}

#[test]
fn every_kind_of_tile_moves_every_element() -> Result<()> {
    let tile = |bytes, down, across, threads, wide_loads, wide_stores, shifted| {
        TestTile::Wide(Tile {
            bytes,
            down,
            across,
            threads,
            wide_loads,
            wide_stores,
            shifted,
            beside: if across == 32 { 4 } else { 1 },
        })
    };
    // Rows and columns of whole chunks.
    check::<u8>((144, 160), (16, 0), 16, tile(1, 128, 128, 256, true, true, false))?;
    check::<u16>((136, 72), (0, 8), 0, tile(2, 128, 64, 256, true, true, false))?;
    check::<u32>((68, 132), (4, 0), 4, tile(4, 64, 64, 256, true, true, false))?;
    check::<u32>((36, 40), (0, 0), 0, tile(4, 32, 32, 128, true, true, false))?;
    check::<u64>((70, 34), (2, 2), 2, tile(8, 64, 32, 256, true, true, false))?;
    check::<[u64; 2]>((33, 35), (1, 0), 1, tile(16, 32, 32, 256, true, true, false))?;
    // Skinny matrices.
    check::<u32>((300, 4), (0, 0), 0, tile(4, 256, 8, 256, true, true, false))?;
    check::<u32>((4, 300), (0, 0), 0, tile(4, 8, 256, 256, true, true, false))?;
    // Whole chunks on one side, and on none; windows at sectors.
    for (wide_loads, wide_stores) in [(false, false), (false, true), (true, false)] {
        let (cols, rows) = (if wide_loads { 68 } else { 67 }, if wide_stores { 132 } else { 131 });
        for shifted in [false, true] {
            if shifted && wide_stores {
                continue;
            }
            let first = if wide_stores { 4 } else { 3 };
            check::<u32>(
                (rows, cols),
                (0, 0),
                first,
                tile(4, 64, 64, 256, wide_loads, wide_stores, shifted),
            )?;
            check::<u64>(
                (rows, cols),
                (2, 2),
                2,
                tile(8, 64, 32, 256, wide_loads, wide_stores, shifted),
            )?;
        }
    }
    check::<u64>((65, 33), (0, 0), 1, tile(8, 64, 32, 256, false, false, true))?;
    check::<[u64; 2]>((33, 31), (0, 0), 1, tile(16, 32, 32, 256, true, false, true))?;
    Ok(())
}

#[test]
fn elements_under_a_word_move_by_words_wherever_rows_begin() -> Result<()> {
    for window in [4, 32] {
        let tile = |bytes, down, across, threads| {
            TestTile::Narrow(Narrow { bytes, down, across, threads, window })
        };
        check::<u8>((389, 301), (0, 0), 3, tile(1, 128, 128, 256))?;
        check::<u8>((261, 66), (5, 2), 1, tile(1, 64, 32, 128))?;
        check::<u16>((259, 131), (0, 0), 1, tile(2, 128, 64, 256))?;
        check::<u16>((7, 3), (1, 1), 0, tile(2, 64, 64, 128))?;
    }
    Ok(())
}

/// Copies two matrices with `gap` extra elements per row, which begin `first` elements into the buffers.
fn copied<T: Storable + bytemuck::Pod + PartialEq + std::fmt::Debug>(
    (rows, cols): (usize, usize),
    (gap_in, gap_out): (usize, usize),
    (first_in, first_out): (usize, usize),
) -> Result<()> {
    let device = Device::emulator().sanitized();
    let (from, to) = (cols + gap_in, cols + gap_out);
    // There is no memory after the last row, and gaps are not written.
    let mut x = device.uninit::<T>(first_in + 2 * rows * from - gap_in)?;
    let host = numbered::<T>(x.len());
    for row in 0..2 * rows {
        let place = first_in + row * from;
        x.upload_part(place, &host[place..place + cols])?;
    }
    let mut want =
        numbered::<T>(first_out + 2 * rows * to + 3).into_iter().rev().collect::<Vec<T>>();
    let mut y = device.upload(&want)?;
    let source = Tensor::with_strides(&x, [2, rows, cols], [rows * from, from, 1], first_in)?;
    let output = TensorMut::with_strides(&mut y, [2, rows, cols], [rows * to, to, 1], first_out)?;
    copy(source).run(output)?;
    for row in 0..2 * rows {
        let (place, begin) = (first_in + row * from, first_out + row * to);
        want[begin..begin + cols].copy_from_slice(&host[place..place + cols]);
    }
    let wrong = y.download()?.iter().zip(&want).position(|(found, want)| found != want);
    assert_eq!(
        wrong, None,
        "{rows} x {cols}, gaps {gap_in}, {gap_out}, from {first_in}, {first_out}"
    );
    Ok(())
}

#[test]
fn rows_that_begin_anywhere_are_copied_by_16_bytes() -> Result<()> {
    for first in [(0, 0), (1, 0), (0, 3), (5, 2)] {
        copied::<u8>((7, 301), (0, 0), first)?;
        copied::<u8>((5, 77), (2, 11), first)?;
        copied::<u16>((9, 67), (0, 5), first)?;
        copied::<u16>((3, 600), (7, 0), first)?;
        copied::<u32>((6, 131), (0, 1), first)?;
        copied::<u64>((6, 35), (0, 1), first)?;
    }
    copied::<u8>((300, 65), (0, 0), (0, 1))?;
    // More windows than resident threads: words (moved one by one if few), and several windows per thread.
    copied::<u32>((30, 2301), (0, 1), (1, 2))?;
    copied::<u16>((910, 597), (0, 3), (0, 1))
}

#[test]
fn squares_of_elements_under_a_word_are_turned_in_place_wherever_rows_begin() -> Result<()> {
    fn turned<T: Storable + bytemuck::Pod + PartialEq + std::fmt::Debug>(
        side: usize,
        gap: usize,
    ) -> Result<()> {
        let device = Device::emulator().sanitized();
        let stride = side + gap;
        let host = numbered::<T>(1 + 2 * side * stride);
        let mut x = device.upload(&host)?;
        let strides = [side * stride, stride, 1];
        transpose_in_place(TensorMut::with_strides(&mut x, [2, side, side], strides, 1)?).run()?;
        let mut want = host.clone();
        for b in 0..2 {
            for (r, c) in (0..side).flat_map(|r| (0..side).map(move |c| (r, c))) {
                let at = |r: usize, c: usize| 1 + b * side * stride + r * stride + c;
                want[at(c, r)] = host[at(r, c)];
            }
        }
        let wrong = x.download()?.iter().zip(&want).position(|(found, want)| found != want);
        assert_eq!(wrong, None, "{side}, gap {gap}");
        Ok(())
    }
    for side in [31, 64, 65, 130, 191] {
        turned::<u8>(side, 0)?;
        turned::<u16>(side, 3)?;
    }
    Ok(())
}

#[test]
fn squares_move_elements_of_every_size_wherever_rows_begin() -> Result<()> {
    let tile = |bytes, down, across, shifted_loads, window| {
        TestTile::Squares(Squares {
            bytes,
            down,
            across,
            shifted_loads,
            window,
            around: window == 32,
        })
    };
    // Rows and columns of whole chunks.
    check::<u8>((144, 160), (16, 0), 16, tile(1, 128, 128, false, 0))?;
    check::<u8>((272, 528), (16, 0), 16, tile(1, 256, 256, false, 0))?;
    check::<u16>((136, 72), (0, 8), 0, tile(2, 64, 64, false, 0))?;
    check::<u32>((68, 132), (4, 0), 4, tile(4, 64, 64, false, 0))?;
    check::<u64>((70, 34), (2, 2), 2, tile(8, 32, 32, false, 0))?;
    check::<[u64; 2]>((33, 35), (1, 0), 1, tile(16, 16, 32, false, 0))?;
    for window in [16, 32] {
        check::<u8>((389, 301), (0, 0), 3, tile(1, 128, 128, true, window))?;
        check::<u16>((259, 131), (0, 0), 1, tile(2, 64, 64, true, window))?;
        check::<u16>((7, 3), (0, 1), 5, tile(2, 64, 32, true, window))?;
        check::<u32>((131, 133), (0, 0), 3, tile(4, 64, 64, true, window))?;
        check::<u64>((65, 33), (0, 0), 1, tile(8, 32, 32, true, window))?;
        check::<[u64; 2]>((33, 31), (0, 0), 1, tile(16, 16, 32, false, window))?;
        // Whole chunks on one side.
        check::<u32>((131, 132), (0, 0), 3, tile(4, 64, 64, false, window))?;
        check::<u32>((132, 131), (0, 0), 4, tile(4, 64, 64, true, 0))?;
    }
    Ok(())
}

#[test]
fn few_rows_or_columns_of_every_number_and_size_are_moved() -> Result<()> {
    fn moved<T: Storable + bytemuck::Pod + PartialEq>(
        device: &Device,
        rows: usize,
        cols: usize,
    ) -> Result<()> {
        let host = numbered::<T>(rows * cols);
        let (x, mut y) = (device.upload(&host)?, device.zeros::<T>(rows * cols)?);
        transpose(Tensor::new(&x, [rows, cols])?).run(TensorMut::new(&mut y, [cols, rows])?)?;
        let wrong = y.download()?.iter().enumerate().position(|(i, element)| {
            let (column, row) = (i / rows, i % rows);
            *element != host[row * cols + column]
        });
        assert_eq!(wrong, None, "{rows} x {cols} of {} bytes", size_of::<T>());
        Ok(())
    }
    let device = Device::emulator();
    for few in 1..=24 {
        for (rows, cols) in [(few, 144), (144, few)] {
            moved::<u8>(&device, rows, cols)?;
            moved::<u16>(&device, rows, cols)?;
            moved::<u32>(&device, rows, cols)?;
            moved::<u64>(&device, rows, cols)?;
            moved::<[u64; 2]>(&device, rows, cols)?;
        }
    }
    Ok(())
}

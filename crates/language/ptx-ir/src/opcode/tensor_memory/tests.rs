//! The places of the threads of a movement, and the lanes that copies reach.

use super::*;
use MovementShape::*;

#[test]
fn the_threads_of_a_movement_cover_its_lanes_and_columns_once() {
    for shape in
        [Lanes32Bits32, Lanes16Bits64, Lanes16Bits128, Lanes16Bits256, Lanes16Bits32Twice(40)]
    {
        for repeat in [1, 2, 8] {
            let registers = (shape.registers() * repeat) as u32;
            let mut places: Vec<(u32, i32)> =
                (0..32).flat_map(|t| (0..registers).map(move |r| shape.place(t, r))).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), 32 * registers as usize, "{shape:?} x{repeat}");
            let columns = (shape.columns() as usize * repeat) as i32;
            assert!(places.iter().all(|(lane, _)| *lane < shape.lanes()));
            assert!(places.iter().all(|(_, c)| *c < columns || (40..40 + columns).contains(c)));
        }
    }
}

#[test]
fn threads_have_the_elements_that_the_manual_draws() {
    // Figures "Matrix Fragment for shape ...": the thread and register of lane 0's first columns.
    assert_eq!(Lanes16Bits64.place(2, 0), (0, 1));
    assert_eq!(Lanes16Bits64.place(1, 0), (8, 0));
    assert_eq!(Lanes16Bits64.place(4, 1), (1, 2));
    assert_eq!(Lanes16Bits128.place(3, 0), (0, 3));
    assert_eq!(Lanes16Bits128.place(4, 1), (9, 0));
    assert_eq!(Lanes16Bits256.place(1, 1), (0, 3));
    assert_eq!(Lanes16Bits256.place(0, 2), (8, 0));
    assert_eq!(Lanes16Bits256.place(0, 4), (0, 8));
    assert_eq!(Lanes16Bits32Twice(32).place(17, 3), (1, 35));
}

#[test]
fn copies_reach_the_warps_that_they_name() {
    let lanes = |to: CopyLanes, row| to.of(row).collect::<Vec<u32>>();
    assert_eq!(lanes(CopyLanes::All, 5), [5, 37, 69, 101]);
    assert_eq!(lanes(CopyLanes::Pairs02, 40), [40, 104]);
    assert_eq!(lanes(CopyLanes::Pairs01, 40), [72, 104]);
    assert_eq!(lanes(CopyLanes::Apart, 3), [96]);
}

//! The chapters of the instruction set. The coverage table loads their forms, and the conformance vectors run those that
//! have results. Forms come from the instruction table of `lanework-ptx`; rows here say which of them are run, and how.

mod arithmetic;
mod memory;
mod rest;
mod row;

use OtherForms::{Arithmetic, Nothing, Section, SpecialRegisters};
use lanework::ptx::Section::{self as TableSection, *};
pub use row::{NumberClass, Row, RowKinds};

/// A chapter of the instruction set.
pub struct Chapter {
    /// Its title in English and Chinese.
    pub title: [&'static str; 2],
    /// Its forms that have no row.
    pub others: OtherForms,
    /// Its rows.
    pub rows: &'static [Row],
}

/// Forms without a row, which are loaded but not run.
#[derive(Clone, Copy)]
pub enum OtherForms {
    /// None.
    Nothing,
    /// Samples of a section of the instruction table.
    Section(TableSection),
    /// Samples of the arithmetic section, of instructions on these numbers.
    Arithmetic(NumberClass),
    /// Moves from special registers.
    SpecialRegisters,
}

const fn chapter(title: [&'static str; 2], others: OtherForms, rows: &'static [Row]) -> Chapter {
    Chapter { title, others, rows }
}

/// The chapters, in the manual's order.
pub const CHAPTERS: &[Chapter] = &[
    chapter(
        ["Integer arithmetic", "整数运算"],
        Arithmetic(NumberClass::Integer),
        arithmetic::ARITHMETIC,
    ),
    chapter(["Extended-precision integers", "扩展精度整数"], Nothing, arithmetic::EXTENDED),
    chapter(["Floating point", "浮点运算"], Arithmetic(NumberClass::Float), arithmetic::FLOAT),
    chapter(["Half precision", "半精度"], Arithmetic(NumberClass::Half), arithmetic::HALF),
    chapter(
        ["Comparison and selection", "比较与选择"],
        Section(Comparison),
        arithmetic::COMPARISON,
    ),
    chapter(["Logic and shifts", "逻辑与移位"], Section(Logic), arithmetic::LOGIC),
    chapter(
        ["Conversion and movement", "转换与数据搬运"],
        Section(Conversion),
        arithmetic::CONVERSION,
    ),
    chapter(["Memory", "访存"], Section(Memory), memory::ROWS),
    chapter(["Atomics and reductions", "原子操作与归约"], Section(Atomics), memory::ATOMICS),
    chapter(["Across the lanes of a warp", "warp 内各 lane 之间"], Section(Warp), rest::WARP),
    chapter(
        ["Control, synchronization and copies", "控制、同步与拷贝"],
        Section(Control),
        rest::BRANCHES,
    ),
    chapter(["Matrices and tensors", "矩阵与张量"], Section(Matrices), &[]),
    chapter(["Video", "视频"], Section(Video), arithmetic::VIDEO),
    chapter(["Special registers", "特殊寄存器"], SpecialRegisters, &[]),
];

//! The chapters of the instruction set. The coverage table loads their forms, and the conformance vectors run those that
//! have results. Forms come from the instruction table of `lanework-ptx`; rows here say which of them are run, and how.

mod arithmetic;
mod memory;
mod rest;
mod row;

use lanework::ptx::Section;
pub use row::{NumberClass, Row, RowKinds};

/// A chapter of the instruction set.
pub struct Chapter {
    /// Its title in English and Chinese.
    pub title: [&'static str; 2],
    /// Its section of the instruction table, and the numbers of its instructions if a section has several chapters.
    pub section: Option<(Section, Option<NumberClass>)>,
    /// Its rows.
    pub rows: &'static [Row],
}

const fn chapter(title: [&'static str; 2], section: Section, rows: &'static [Row]) -> Chapter {
    Chapter { title, section: Some((section, None)), rows }
}

const fn arithmetic(title: [&'static str; 2], class: NumberClass, rows: &'static [Row]) -> Chapter {
    Chapter { title, section: Some((Section::Arithmetic, Some(class))), rows }
}

/// The chapters, in the manual's order.
pub const CHAPTERS: &[Chapter] = &[
    arithmetic(["Integer arithmetic", "整数运算"], NumberClass::Integer, arithmetic::ARITHMETIC),
    Chapter {
        title: ["Extended-precision integers", "扩展精度整数"],
        section: None,
        rows: arithmetic::EXTENDED,
    },
    arithmetic(["Floating point", "浮点运算"], NumberClass::Float, arithmetic::FLOAT),
    arithmetic(["Half precision", "半精度"], NumberClass::Half, arithmetic::HALF),
    chapter(
        ["Comparison and selection", "比较与选择"],
        Section::Comparison,
        arithmetic::COMPARISON,
    ),
    chapter(["Logic and shifts", "逻辑与移位"], Section::Logic, arithmetic::LOGIC),
    chapter(
        ["Conversion and movement", "转换与数据搬运"],
        Section::Conversion,
        arithmetic::CONVERSION,
    ),
    chapter(["Memory", "访存"], Section::Memory, memory::ROWS),
    chapter(["Atomics and reductions", "原子操作与归约"], Section::Atomics, memory::ATOMICS),
    chapter(["Across the lanes of a warp", "warp 内各 lane 之间"], Section::Warp, rest::WARP),
    chapter(
        ["Control, synchronization and copies", "控制、同步与拷贝"],
        Section::Control,
        rest::BRANCHES,
    ),
    chapter(["Matrices and tensors", "矩阵与张量"], Section::Matrices, &[]),
    chapter(["Video", "视频"], Section::Video, arithmetic::VIDEO),
    Chapter { title: ["Special registers", "特殊寄存器"], section: None, rows: &[] },
];

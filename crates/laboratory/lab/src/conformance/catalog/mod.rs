//! The instructions of the PTX manual and their forms, as plain data. The coverage table loads them, and the
//! conformance vectors run them. A row is one line of the manual's syntax. Opcodes and types of operands come from the
//! instruction table of `lanework-ptx`; rows here add how a form is run.

mod arithmetic;
mod memory;
mod rest;
mod row;

pub use row::{NumberClass, Row, RowKinds};

/// A chapter of the manual's instruction set.
pub struct Chapter {
    /// Its title in English and Chinese.
    pub title: [&'static str; 2],
    /// Its rows.
    pub rows: &'static [Row],
}

/// The chapters, in the manual's order.
pub const CHAPTERS: &[Chapter] = &[
    Chapter { title: ["Integer arithmetic", "整数运算"], rows: arithmetic::ARITHMETIC },
    Chapter {
        title: ["Extended-precision integers", "扩展精度整数"], rows: arithmetic::EXTENDED
    },
    Chapter { title: ["Floating point", "浮点运算"], rows: arithmetic::FLOAT },
    Chapter { title: ["Half precision", "半精度"], rows: arithmetic::HALF },
    Chapter {
        title: ["Comparison and selection", "比较与选择"], rows: arithmetic::COMPARISON
    },
    Chapter { title: ["Logic and shifts", "逻辑与移位"], rows: arithmetic::LOGIC },
    Chapter {
        title: ["Conversion and movement", "转换与数据搬运"], rows: arithmetic::CONVERSION
    },
    Chapter { title: ["Memory", "访存"], rows: memory::ROWS },
    Chapter { title: ["Atomics and reductions", "原子操作与归约"], rows: memory::ATOMICS },
    Chapter { title: ["Across the lanes of a warp", "warp 内各 lane 之间"], rows: rest::WARP },
    Chapter {
        title: ["Control, synchronization and copies", "控制、同步与拷贝"],
        rows: rest::ROWS,
    },
    Chapter { title: ["Matrices and tensors", "矩阵与张量"], rows: rest::MATRICES },
    Chapter { title: ["Video", "视频"], rows: arithmetic::VIDEO },
    Chapter { title: ["Special registers", "特殊寄存器"], rows: rest::SPECIAL },
];

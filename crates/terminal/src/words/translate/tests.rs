//! Tests of the translation on the real catalogue.

use super::*;

fn said(text: &str) -> String {
    self::text(&Catalogue::chinese(), text)
}

#[test]
fn messages_are_taken_apart_where_they_are_composed() {
    for (english, chinese) in [
        (
            "error: expected `;` after the instruction, found `}`",
            "错误：此处应为 `;`（在指令之后），实为 `}`",
        ),
        (
            "`add.u32`: operand 2, `%l1`, is a .b64 register; expected a .u32 value",
            "`add.u32`：第 2 个操作数 `%l1` 是 .b64 寄存器；应为 .u32 值",
        ),
        ("  padded   no bank conflicts, warps /4.0", "  padded   不再有 bank 冲突，warp /4.0"),
        ("padded: skipped: cuBLAS runs on GPUs only", "padded：已跳过：cuBLAS 只能在 GPU 上运行"),
        (
            "the tensor map `map` copies tiles of 32 x 64 without a swizzle, the kernel's are 32 x 64 with the swizzle Bytes128",
            "张量映射 `map` 拷贝不带 swizzle 的 32 x 64 的 tile，而核函数的是 swizzle 为 Bytes128 的 32 x 64",
        ),
        (
            "\u{1b}[31merror:\u{1b}[0m no ladder is called `x`",
            "\u{1b}[31m错误：\u{1b}[0m没有名为 `x` 的阶梯",
        ),
    ] {
        assert_eq!(said(english), chinese);
    }
}

#[test]
fn names_and_code_stay() {
    for text in [
        "copy",
        "memory",
        " 7 | a[i] = b; // no bank conflicts",
        "  --> kernel.cu:7",
        "unpadded.rs:26\u{a0}\u{a0}dst[y * n + x] = tile[[a, b]];",
        "`no bank conflicts`",
        "",
    ] {
        assert_eq!(said(text), text);
    }
}

#[test]
fn a_sentence_over_several_lines_is_one() {
    let english = "  The threads of a warp print in x-then-y order;\n  the order of blocks is unspecified.\nx";
    assert_eq!(said(english), "  一个 warp 的线程按先 x 后 y 的顺序输出；块的顺序不定。\nx");
}

#[test]
fn a_word_alone_is_a_term_where_it_is_asked_for() {
    assert_eq!(term(&Catalogue::chinese(), "  memory  "), "  内存  ");
}

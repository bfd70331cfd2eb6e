//! Every store before every load of the same bytes in another size, and sums in which the device-dependent address of
//! a variable cancels.

use crate::conformance::form::InstructionForm;
use crate::conformance::operands::OperandKind;

/// Stores into eight bytes that already hold `$a`.
const STORES: &[&str] = &[
    "st.SPACE.b8 [AT+5], %l;",
    "st.SPACE.u16 [AT+2], %h;",
    "st.SPACE.b32 [AT+4], %l;",
    "st.SPACE.b64 [AT], $b;",
    "st.SPACE.v2.b8 [AT+2], {%h, %h};",
    "st.SPACE.v2.b16 [AT+4], {%h, 7};",
    "st.SPACE.v2.b32 [AT], {%l, -1};",
    "st.SPACE.v4.u8 [AT+4], {%h, 1, %h, 2};",
    "st.SPACE.v4.b16 [AT], {%h, %h, 9, %h};",
    "atom.SPACE.add.u32 %l, [AT+4], %l;",
    "atom.SPACE.exch.b64 $b, [AT], $b;",
    "red.SPACE.xor.b32 [AT], %l;",
    "red.SPACE.max.s64 [AT], $b;",
];

/// Loads of them.
const LOADS: &[&str] = &[
    "ld.SPACE.u8 $d, [AT+5];",
    "ld.SPACE.s8 $d, [AT+2];",
    "ld.SPACE.s16 $d, [AT+4];",
    "ld.SPACE.u32 $d, [AT+4];",
    "ld.SPACE.s32 $d, [AT];",
    "ld.SPACE.b64 $d, [AT];",
    "ld.SPACE.v2.u16 {%h, _}, [AT]; cvt.s64.s16 $d, %h;",
    "ld.SPACE.v2.b32 {_, %l}, [AT]; cvt.s64.s32 $d, %l;",
    "ld.SPACE.v4.s8 {_, %h, _, _}, [AT+4]; cvt.s64.s16 $d, %h;",
    "ld.volatile.SPACE.b64 $d, [AT];",
];

/// Sums in which the address of a shared variable cancels, for operands that may be an address.
const ADDRESSES: &[(&str, &str)] = &[
    ("mov.u32", "mov.u32 $d, cell+8; sub.u32 $d, $d, %z;"),
    ("mov.u64", "{ .reg .b64 %x; mov.u64 %x, cell+8; cvt.u32.u64 $d, %x; sub.u32 $d, $d, %z; }"),
    ("mov.b32", "mov.b32 $d, cell; sub.u32 $d, $d, %z;"),
    ("add.u32", "add.u32 $d, $a, cell+8; sub.u32 $d, $d, %z;"),
    ("add.s32", "add.s32 $d, cell+8, $b; sub.u32 $d, $d, %z;"),
    ("sub.u32", "sub.u32 $d, cell+12, $b; sub.u32 $d, $d, %z;"),
    ("sub.s32", "sub.s32 $d, $a, cell+-4; add.u32 $d, $d, %z;"),
    ("xor.b32", "add.u32 %z, %z, 12; xor.b32 $d, $a, cell+12; xor.b32 $d, $d, %z;"),
    ("mad.lo.u32", "mad.lo.u32 $d, $a, $b, cell+4; sub.u32 $d, $d, %z;"),
    (
        "selp.b32",
        "{ .reg .pred %p; setp.lt.u32 %p, $a, $b; selp.b32 $d, cell+4, %z, %p; sub.u32 $d, $d, %z; }",
    ),
    (
        "setp.eq.u32",
        "{ .reg .pred %p; add.u32 %z, %z, 4; setp.eq.u32 %p, cell+4, %z; selp.b32 $d, $a, $b, %p; }",
    ),
    ("st.global.b32", "st.global.b32 [$m], cell+16; ld.global.b32 $d, [$m]; sub.u32 $d, $d, %z;"),
    (
        "atom.global.exch.b32",
        "st.global.b32 [$m], $a; atom.global.exch.b32 $d, [$m], cell+4; { .reg .b32 %y; ld.global.b32 %y, [$m]; sub.u32 %y, %y, %z; add.u32 $d, $d, %y; }",
    ),
    ("ld.shared.b32", "st.shared.b32 [$s], $a; bar.sync 0; ld.shared.b32 $d, [cell+64];"),
    (
        "cvta.shared.u64",
        "{ .reg .b64 %x; cvta.shared.u64 %x, cell+4; cvta.to.shared.u64 %x, %x; cvt.u32.u64 $d, %x; sub.u32 $d, $d, %z; }",
    ),
    (
        "cvta.shared.u64",
        "{ .reg .b64 %x, %y; cvta.shared.u64 %x, cell; cvta.shared.u64 %y, cell+4; sub.u64 %x, %y, %x; cvt.u32.u64 $d, %x; }",
    ),
    (
        "cvta.to.shared.u64",
        "{ .reg .b64 %x; cvta.shared.u64 %x, cell; cvta.to.shared.u64 %x, %x+4; cvt.u32.u64 $d, %x; sub.u32 $d, $d, %z; }",
    ),
    (
        "ld.b32",
        "st.shared.b32 [$s], $a; bar.sync 0; { .reg .b64 %x; cvta.shared.u64 %x, cell+32; ld.b32 $d, [%x+32]; }",
    ),
    (
        "isspacep.shared",
        "{ .reg .b64 %x; .reg .pred %p; cvta.shared.u64 %x, cell+32; isspacep.shared %p, %x; selp.b32 $d, $a, $b, %p; }",
    ),
    (
        "cvta.local.u64",
        "{ .local .align 8 .b8 own[16]; .reg .b64 %x, %y; mov.u64 %y, own+4; st.local.b32 [%y], $a; cvta.local.u64 %x, own; ld.b32 $d, [%x+4]; }",
    ),
    (
        "cvta.local.u64",
        "{ .local .align 8 .b8 own[16]; .reg .b64 %x; cvta.local.u64 %x, own+8; st.b32 [%x], $b; ld.local.b32 $d, [own+8]; }",
    ),
    (
        "mov.u64",
        "{ .local .align 8 .b8 own[16]; .reg .b64 %x, %y; mov.u64 %x, own+12; mov.u64 %y, own; sub.u64 %x, %x, %y; cvt.u32.u64 $d, %x; add.u32 $d, $d, $a; }",
    ),
];

pub(super) fn forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for space in ["global", "shared"] {
        let at = if space == "global" { "$m" } else { "$s" };
        for store in STORES {
            for load in LOADS {
                let text = format!(
                    "{{ .reg .b32 %l; .reg .b16 %h; cvt.u32.u64 %l, $b; cvt.u16.u64 %h, $b; \
                     st.{space}.b64 [{at}], $a; {store} {load} }}"
                );
                let text = text.replace("SPACE", space).replace("AT", at);
                let name = store.split(' ').next().unwrap_or_default().replace("SPACE", space);
                forms.push(InstructionForm::combination(
                    &name,
                    text,
                    &[OperandKind::B64],
                    &[OperandKind::B64, OperandKind::B64],
                ));
            }
        }
    }
    for (name, text) in ADDRESSES {
        let text = format!("{{ .reg .b32 %z; mov.u32 %z, cell; {text} }}");
        forms.push(InstructionForm::combination(
            name,
            text,
            &[OperandKind::B32],
            &[OperandKind::B32, OperandKind::B32],
        ));
    }
    forms
}

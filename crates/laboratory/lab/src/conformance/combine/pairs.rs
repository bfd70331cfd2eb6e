//! Pairs of a writer and a reader of shared state: the carry flag, predicates, and the same bytes in memory.

use crate::conformance::form::InstructionForm;
use crate::conformance::operands::OperandKind;

/// Instructions that write the flag with `.cc`; `addc`, `subc` and `madc` also read it.
const CARRY_WRITERS: [&str; 8] =
    ["add", "sub", "mad.lo", "mad.hi", "addc", "subc", "madc.lo", "madc.hi"];

/// Instructions that read the flag.
const CARRY_READERS: [&str; 4] = ["addc", "subc", "madc.lo", "madc.hi"];

fn kind(ty: &str) -> OperandKind {
    if ty.ends_with("64") { OperandKind::B64 } else { OperandKind::B32 }
}

fn step(name: &str, cc: &str, ty: &str, to: &str, [a, b]: [&str; 2]) -> String {
    let third = if name.starts_with("mad") { format!(", {a}") } else { String::new() };
    format!("{name}{cc}.{ty} {to}, {a}, {b}{third};")
}

pub(super) fn carry_forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for writer in CARRY_WRITERS {
        for reader in CARRY_READERS {
            for from in ["u32", "s64"] {
                for to in ["s32", "u32", "s64", "u64"] {
                    pair(&mut forms, (writer, from), (reader, to));
                }
            }
        }
    }
    forms
}

/// Variants of a pair: one keeps the writer's result, one the flag after the reader. In the third the writer is
/// guarded, so some lanes keep the old flag.
fn pair(forms: &mut Vec<InstructionForm>, writer: (&str, &str), reader: (&str, &str)) {
    let first = "{ .reg .b32 %t; sub.cc.u32 %t, %i2, %i0; }";
    let write = |to: &str| step(writer.0, ".cc", writer.1, to, ["$a", "$b"]);
    let read = |cc: &str| step(reader.0, cc, reader.1, "$d", ["$c", "$e"]);
    let (from, to) = (kind(writer.1), kind(reader.1));
    let operands = [from, from, to, to];
    let name = format!("{}.cc.{}", writer.0, writer.1);
    let text = format!("{first} {} {}", write("$q"), read(""));
    forms.push(InstructionForm::combination(&name, text, &[to, from], &operands));
    let kept = if from == OperandKind::B64 { "b64" } else { "b32" };
    let text = format!(
        "{first} {{ .reg .{kept} %w; {} }} {} addc.u32 $q, 0, 0;",
        write("%w"),
        read(".cc")
    );
    forms.push(InstructionForm::combination(&name, text, &[to, OperandKind::B32], &operands));
    if writer.1 == "u32" && reader.1 == "u32" {
        let some = "mov.u32 %i3, %laneid; and.b32 %i3, %i3, 3; setp.ne.u32 %g, %i3, 0;";
        let text = format!(
            "{first} {{ .reg .pred %g; {some} mov.b32 $q, 9; @%g {} }} {}",
            write("$q"),
            read("")
        );
        forms.push(InstructionForm::combination(&name, text, &[to, from], &operands));
    }
}

/// Writers of `%p` and `%u`, from `$a` and `$b`.
const PREDICATE_WRITERS: &[(&str, &str)] = &[
    ("setp.lt.s32", "setp.lt.s32 %p|%u, $a, $b;"),
    ("setp.lo.u32", "setp.lo.u32 %u|%p, $a, $b;"),
    (
        "setp.ge.s64",
        "{ .reg .b64 %x, %y; cvt.s64.s32 %x, $a; cvt.s64.s32 %y, $b; setp.ge.s64 %p|%u, %x, %y; }",
    ),
    (
        "setp.hi.u64",
        "{ .reg .b64 %x, %y; cvt.u64.u32 %x, $a; cvt.s64.s32 %y, $b; setp.hi.u64 %p|%u, %x, %y; }",
    ),
    (
        "setp.lt.s16",
        "{ .reg .b16 %x, %y; cvt.u16.u32 %x, $a; cvt.u16.u32 %y, $b; setp.lt.s16 %p|%u, %x, %y; }",
    ),
    ("setp.geu.f32", "setp.geu.f32 %p|%u, $a, $b;"),
    ("setp.lt.f16x2", "setp.lt.f16x2 %p|%u, $a, $b;"),
    ("setp.gtu.bf16x2", "setp.gtu.bf16x2 %p|%u, $a, $b;"),
    ("setp.eq.and.s32", "setp.ne.s32 %u, $a, 0; setp.eq.and.s32 %p|%u, $a, $b, %u;"),
    ("setp.lt.xor.u32", "setp.ne.s32 %p, $b, 1; setp.lt.xor.u32 %p|%u, $a, $b, !%p;"),
    ("setp.lt.or.f32", "setp.ne.s32 %p, $b, 1; setp.lt.or.f32 %u|%p, $a, $b, %p;"),
    ("setp.le.s32", "setp.le.s32 %p, $a, $b; setp.lt.s32 _|%u, $b, $a;"),
    ("testp.notanumber.f32", "testp.notanumber.f32 %p, $a; testp.subnormal.f32 %u, $b;"),
    ("lop3.or.b32", "setp.lt.s32 %p, $a, $b; lop3.or.b32 %i3|%u, $a, $b, %i0, 0x96, %p;"),
    (
        "lop3.and.b32",
        "setp.lt.s32 %p, $a, $b; lop3.and.b32 %i3|%p, $a, $b, %i0, 0x80, %p; mov.pred %u, !%p;",
    ),
    ("shfl.sync.up.b32", "shfl.sync.up.b32 %i3|%p, $a, 3, 0, -1; setp.gt.s32 %u, %i3, $b;"),
    ("match.all.sync.b32", "match.all.sync.b32 %i3|%p, $a, -1; setp.gt.s32 %u, $a, $b;"),
    ("vote.sync.any.pred", "setp.lt.s32 %u, $a, $b; vote.sync.any.pred %p, %u, -1;"),
    (
        "and.pred",
        "setp.lt.s32 %u, $a, $b; setp.ne.s32 %p, $a, 0; and.pred %p, %p, !%u; or.pred %u, %p, !%u;",
    ),
    ("mov.pred", "setp.lt.s32 %u, $a, $b; mov.pred %p, !%u; xor.pred %u, %u, 1;"),
];

/// Readers of `%p` and `%u`, which compute `$d`.
const PREDICATE_READERS: &[(&str, &str)] = &[
    (
        "guards",
        "mov.b32 $d, 1; @%p add.u32 $d, $d, 2; @!%p add.u32 $d, $d, 4; @%u add.u32 $d, $d, 8; @!%u add.u32 $d, $d, 16;",
    ),
    (
        "selp",
        "selp.b32 $d, 1, 0, %p; { .reg .b32 %z; selp.b32 %z, 2, 0, !%u; add.u32 $d, $d, %z; }",
    ),
    (
        "branches",
        "mov.b32 $d, 1; { @%p bra P; add.u32 $d, $d, 2; P: @!%u bra U; add.u32 $d, $d, 4; U: }",
    ),
    (
        "combined",
        "{ .reg .pred %x, %y; setp.lt.and.s32 %x|%y, $a, 7, %p; setp.lt.or.u32 %x, $b, 7, !%x; selp.b32 $d, 1, 0, %x; @%y add.u32 $d, $d, 2; setp.ne.xor.s32 %x, $a, $b, %u; @%x add.u32 $d, $d, 4; }",
    ),
    (
        "logic",
        "{ .reg .pred %x; xor.pred %x, %p, !%u; selp.b32 $d, 1, 0, %x; not.pred %x, !%p; @%x add.u32 $d, $d, 2; and.pred %x, %x, %u; @!%x add.u32 $d, $d, 4; }",
    ),
    (
        "votes",
        "vote.sync.ballot.b32 $d, !%p, -1; { .reg .pred %x; vote.sync.all.pred %x, %u, -1; @%x not.b32 $d, $d; }",
    ),
    (
        "set",
        "set.lt.or.u32.s32 $d, $a, $b, %p; { .reg .b32 %z; set.lt.and.u32.s32 %z, $a, $b, !%u; xor.b32 $d, $d, %z; }",
    ),
    ("lop3", "{ .reg .pred %x; lop3.or.b32 $d|%x, $a, $b, 5, 0xE8, %p; @%x xor.b32 $d, $d, 1; }"),
    (
        "memory",
        "st.global.b32 [$m], 3; @%p st.global.b32 [$m], $a; ld.global.b32 $d, [$m]; @!%u ld.global.u16 $d, [$m+2];",
    ),
    (
        "atomics",
        "st.global.b32 [$m], $a; mov.b32 $d, 5; @%p atom.global.add.u32 $d, [$m], $b; @%u red.global.xor.b32 [$m], $b; { .reg .b32 %z; ld.global.b32 %z, [$m]; add.u32 $d, $d, %z; }",
    ),
    (
        "barrier",
        "{ .reg .pred %x; bar.red.or.pred %x, 0, !%p; selp.b32 $d, 1, 0, %x; .reg .b32 %z; bar.red.popc.u32 %z, 0, %u; mad.lo.u32 $d, %z, 2, $d; }",
    ),
];

pub(super) fn predicate_forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for (name, write) in PREDICATE_WRITERS {
        for (_, read) in PREDICATE_READERS {
            let text = format!("{{ .reg .pred %p, %u; {write} {read} }}");
            forms.push(InstructionForm::combination(
                name,
                text,
                &[OperandKind::B32],
                &[OperandKind::B32, OperandKind::B32],
            ));
        }
    }
    forms
}

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

/// Loads of those bytes.
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

pub(super) fn memory_forms() -> Vec<InstructionForm> {
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

//! Every writer of a predicate before every reader of one. Writers: comparisons with one and two results, across
//! widths, and instructions that return a predicate in addition to a value. Readers: guards, negated operands,
//! branches.

use crate::conformance::form::InstructionForm;
use crate::conformance::operands::OperandKind;

/// Writers of `%p` and `%u`, from `$a` and `$b`.
const WRITERS: &[(&str, &str)] = &[
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
const READERS: &[(&str, &str)] = &[
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

pub(super) fn forms() -> Vec<InstructionForm> {
    let mut forms = Vec::new();
    for (name, write) in WRITERS {
        for (_, read) in READERS {
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

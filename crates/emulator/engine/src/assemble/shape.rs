//! The required operands of an assembled operation: the assembler states a [`Shape`] with each
//! operation that it pushes, and the verifier checks the operation against it.

use lanework_ptx_ir::kernel::Width;

/// Forms of registers in the register file, one bit each.
pub type RegisterForms = u8;
/// A 32-bit register in scalar form.
pub const SCALAR_WORD: RegisterForms = 1;
/// A 64-bit register in scalar form.
pub const SCALAR_WIDE: RegisterForms = 1 << 1;
/// A varying register with 32-bit words.
pub const WORDS: RegisterForms = 1 << 2;
/// A varying register with 64-bit words.
pub const WIDE_WORDS: RegisterForms = 1 << 3;
/// A predicate.
pub const PREDICATE: RegisterForms = 1 << 4;

/// The bytes of a register of a form. Registers are aligned to 32 bytes; those of 128 bytes or
/// more, to 64.
pub const fn form_bytes(form: RegisterForms) -> usize {
    match form {
        WORDS => 128,
        WIDE_WORDS => 256,
        _ => 32,
    }
}

/// The possible forms of a register of a width.
pub const fn forms_of(width: Width) -> RegisterForms {
    match width {
        Width::Predicate => PREDICATE,
        Width::Word => SCALAR_WORD | WORDS,
        Width::Wide => SCALAR_WIDE | WIDE_WORDS,
    }
}

/// The registers that an operand may name: their forms, and the encoding of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers(u8);

const BARE: u8 = 1 << 5;
const OPTIONAL: u8 = 1 << 6;

impl Registers {
    /// Registers of any of these forms; the low bits of the slot tell which.
    pub const fn in_forms(forms: RegisterForms) -> Registers {
        Registers(forms)
    }

    /// The slot is the bare offset: the handler knows the form.
    pub const fn bare(self) -> Registers {
        Registers(self.0 | BARE)
    }

    /// The operand may be absent.
    pub const fn optional(self) -> Registers {
        Registers(self.0 | OPTIONAL)
    }

    /// The forms.
    pub const fn forms(self) -> RegisterForms {
        self.0 & (BARE - 1)
    }

    /// Whether the slot is a bare offset.
    pub const fn is_bare(self) -> bool {
        self.0 & BARE != 0
    }

    /// Whether the operand may be absent.
    pub const fn is_optional(self) -> bool {
        self.0 & OPTIONAL != 0
    }
}

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A number, or unused.
    Number,
    /// A slot of the register file.
    Register(Registers),
    /// The index of an operation.
    Target,
    /// The same, or [`crate::machine::NO_RECONVERGENCE`].
    MaybeTarget,
    /// The end of the guarded operations, after an operation that restores the mask.
    GuardEnd,
    /// The operation's own index.
    Own,
    /// A basic block whose visits are counted.
    Block,
    /// The byte offset of an access site, and the number of adjacent lanes that the handler assumes
    /// accessible from an address within the site's bounds.
    AccessSite(u8),
}

/// A register of words in any form.
pub const VALUE: OperandKind =
    OperandKind::Register(Registers::in_forms(SCALAR_WORD | SCALAR_WIDE | WORDS | WIDE_WORDS));
/// The same, or none.
pub const MAYBE_VALUE: OperandKind = OperandKind::Register(
    Registers::in_forms(SCALAR_WORD | SCALAR_WIDE | WORDS | WIDE_WORDS).optional(),
);
/// A varying register.
pub const VARYING: OperandKind = OperandKind::Register(Registers::in_forms(WORDS | WIDE_WORDS));
/// The same, or none.
pub const MAYBE_VARYING: OperandKind =
    OperandKind::Register(Registers::in_forms(WORDS | WIDE_WORDS).optional());
/// A register in scalar form.
pub const SCALAR_FORM: OperandKind =
    OperandKind::Register(Registers::in_forms(SCALAR_WORD | SCALAR_WIDE));
/// A predicate that is written.
pub const TRUTH: OperandKind = OperandKind::Register(Registers::in_forms(PREDICATE));
/// The same, or none.
pub const MAYBE_TRUTH: OperandKind =
    OperandKind::Register(Registers::in_forms(PREDICATE).optional());
/// A predicate that is read. An absent operand is the constant 0.
pub const TEST: OperandKind = OperandKind::Register(Registers::in_forms(PREDICATE | SCALAR_WIDE));

/// The kind of the immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immediate {
    /// A number.
    Number,
    /// The address of a function of one lane.
    Function,
    /// The offset of the operation's access site, or the address of a sequence if one is fused here.
    SiteOffset,
    /// The address of the next matrix instruction's plan.
    MatrixPlan,
    /// The address of the next asynchronous instruction's plan.
    AsyncPlan,
    /// The address of the next texture instruction's plan.
    TexturePlan,
    /// The address of data of the instrument's plan.
    Inserted,
    /// The slot of a predicate, if any, in the low half.
    Predicate,
}

/// Control flow after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationFlow {
    /// To the next operation, or to a target.
    Falls,
    /// Never to the next operation.
    Leaves,
    /// Like `Leaves`, and it ends the program.
    Ends,
    /// Falls through, and restores the mask that a guard narrowed.
    Unguards,
}

/// The operands of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `a` to `d`.
    pub operands: [OperandKind; 4],
    /// The immediate.
    pub imm: Immediate,
    /// Where it continues.
    pub flow: OperationFlow,
}

impl Shape {
    /// An operation with these operands that falls through; the immediate is a number.
    pub const fn new(a: OperandKind, b: OperandKind, c: OperandKind, d: OperandKind) -> Shape {
        Shape { operands: [a, b, c, d], imm: Immediate::Number, flow: OperationFlow::Falls }
    }

    /// An operation without operands.
    pub const NONE: Shape = Shape::new(
        OperandKind::Number,
        OperandKind::Number,
        OperandKind::Number,
        OperandKind::Number,
    );

    /// With another immediate.
    pub const fn with(self, imm: Immediate) -> Shape {
        Shape { imm, ..self }
    }

    /// With another control flow.
    pub const fn going(self, flow: OperationFlow) -> Shape {
        Shape { flow, ..self }
    }

    /// A computation by a handler for registers of these widths, operands then result; `scalar` if all
    /// are in scalar form. An empty list means that all are predicates.
    pub fn compute(widths: &[Width], scalar: bool) -> Shape {
        let (words, result) = if scalar { (SCALAR_FORM, SCALAR_FORM) } else { (VALUE, VARYING) };
        let Some((to, from)) = widths.split_last() else {
            return Shape::new(TRUTH, TEST, TEST, OperandKind::Number);
        };
        let mut operands = [OperandKind::Number; 4];
        operands[0] = if *to == Width::Predicate { TRUTH } else { result };
        for (operand, width) in operands[1..].iter_mut().zip(from) {
            *operand = if *width == Width::Predicate { TEST } else { words };
        }
        Shape { operands, imm: Immediate::Function, flow: OperationFlow::Falls }
    }

    /// A computation by a handler specialized for the form of each register: varying with the given
    /// width, or scalar if its bit in `kinds` is set. Slots are bare offsets.
    pub fn direct(widths: &[Width], kinds: usize) -> Shape {
        let bare = |forms| OperandKind::Register(Registers::in_forms(forms).bare());
        let own = |width: Width| match width {
            Width::Predicate => bare(PREDICATE),
            Width::Word => bare(WORDS),
            Width::Wide => bare(WIDE_WORDS),
        };
        let mut operands = [OperandKind::Number; 4];
        if let Some((to, from)) = widths.split_last() {
            operands[0] = own(*to);
            for (i, width) in from.iter().enumerate().take(3) {
                operands[1 + i] = match (width, kinds >> i & 1) {
                    (Width::Word | Width::Wide, 1) => bare(SCALAR_WORD | SCALAR_WIDE),
                    _ => own(*width),
                };
            }
        }
        Shape { operands, imm: Immediate::Function, flow: OperationFlow::Falls }
    }

    /// A computation on whole registers in scalar form; slots are bare offsets.
    pub const fn affine() -> Shape {
        let form = OperandKind::Register(Registers::in_forms(SCALAR_WORD | SCALAR_WIDE).bare());
        Shape::new(form, form, form, form)
    }
}

//! Splits the stack of functions compiled by NVIDIA's compiler into its arrays, so that checks see an index that leaves one.
//!
//! *Observation.* NVVM puts all local variables of a function into one, `__local_depot`, and takes the address of each object that is
//! not accessed at constant offsets alone by `add.u64 %rd, %SP, offset` (or `%SPL`). Addresses inside an object are computed from that
//! register. So these offsets are the starts of the objects, at every level of optimization.
//!
//! *Limits.* The padding behind an object belongs to it, and so do scalars there that are accessed at constant offsets. A function that
//! uses the stack pointers in another way keeps its one variable.

use lanework_ptx::{
    Address, AddressBase, Function, Immediate, Instruction, Item, Modifier, Module, Opcode,
    Operand, StateSpace, Statement, Variable,
};

/// NVVM's name of the variable, before its number.
const DEPOT: &str = "__local_depot";
/// The registers that hold its address: in the local window, and generic.
const POINTERS: [&str; 2] = ["%SPL", "%SP"];

/// The module with each array in a variable of its own; `None` if no function has several.
pub fn split_local_arrays(module: &Module) -> Option<Module> {
    let several =
        |function: &Function| function.body.as_ref().is_some_and(|body| Stack::of(body).is_some());
    if !module.functions().any(several) {
        return None;
    }
    let mut module = module.clone();
    for item in &mut module.items {
        if let Item::Function(function) = item
            && let Some(body) = &mut function.body
            && let Some(stack) = Stack::of(body)
        {
            stack.split(body);
        }
    }
    Some(module)
}

/// The stack of a function.
struct Stack {
    depot: Variable,
    /// Offsets of its objects, ascending, from 0.
    starts: Vec<u64>,
}

/// Whether an operand is one of the stack pointers.
fn is_pointer(operand: &Operand) -> bool {
    matches!(operand, Operand::Name(name) if POINTERS.contains(&name.as_str()))
}

/// The offset in the stack whose address an instruction takes.
fn taken(instruction: &Instruction) -> Option<u64> {
    match (&instruction.opcode, &instruction.operands[..]) {
        (Opcode::Add, [_, pointer, Operand::Immediate(Immediate::Integer(at))])
            if is_pointer(pointer) && instruction.guard.is_none() =>
        {
            u64::try_from(*at).ok()
        }
        _ => None,
    }
}

impl Stack {
    /// The stack of a body with several objects, if all uses of its pointers are known.
    fn of(body: &[Statement]) -> Option<Stack> {
        let depot = body.iter().find_map(|statement| match statement {
            Statement::Variable(of) if of.name.starts_with(DEPOT) => Some(of),
            _ => None,
        });
        let depot = depot.filter(|depot| depot.space == StateSpace::Local)?;
        let mut starts = vec![0];
        if !find_starts(body, depot, &mut starts) {
            return None;
        }
        starts.sort_unstable();
        starts.dedup();
        let inside = starts.last().is_some_and(|last| *last < depot.size());
        (starts.len() > 1 && inside).then(|| Stack { depot: depot.clone(), starts })
    }

    /// The variable of an object.
    fn name(&self, object: usize) -> String {
        match object {
            0 => self.depot.name.clone(),
            _ => format!("{}_array_{}", self.depot.name, object + 1),
        }
    }

    /// The object that holds a byte.
    fn object(&self, at: u64) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    fn variables(&self) -> impl Iterator<Item = Statement> {
        let align = self.depot.alignment();
        (0..self.starts.len()).map(move |object| {
            let end = self.starts.get(object + 1).copied().unwrap_or(self.depot.size());
            let mut variable = self.depot.clone();
            variable.name = self.name(object);
            variable.dims = vec![Some(end - self.starts[object])];
            variable.align = Some(align);
            Statement::Variable(variable)
        })
    }

    fn split(&self, body: &mut Vec<Statement>) {
        let place = body.iter().position(
            |statement| matches!(statement, Statement::Variable(of) if of.name == self.depot.name),
        );
        let Some(place) = place else { return };
        body.splice(place..=place, self.variables());
        self.rewrite_all(body);
    }

    fn rewrite_all(&self, body: &mut [Statement]) {
        for statement in body {
            match statement {
                Statement::Instruction(instruction) => self.rewrite(instruction),
                Statement::Block(inner) => self.rewrite_all(inner),
                _ => {}
            }
        }
    }

    fn rewrite(&self, instruction: &mut Instruction) {
        if let Some(at) = taken(instruction) {
            let object = self.object(at);
            if object == 0 {
                return;
            }
            let generic = matches!(&instruction.operands[1], Operand::Name(name) if name == "%SP");
            instruction.opcode = if generic { Opcode::Cvta } else { Opcode::Mov };
            if generic {
                instruction.modifiers.insert(0, Modifier::Local);
            }
            instruction.operands =
                vec![instruction.operands[0].clone(), Operand::Name(self.name(object))];
            return;
        }
        for operand in &mut instruction.operands {
            let Operand::Address(Address { base: AddressBase::Name(name), offset, .. }) = operand
            else {
                continue;
            };
            let at = u64::try_from(*offset).unwrap_or(0);
            let object = self.object(at);
            if POINTERS.contains(&name.as_str()) && object > 0 {
                *name = self.name(object);
                *offset -= self.starts[object] as i64;
            }
        }
    }
}

/// Collects the offsets whose addresses are taken; returns whether all uses of the stack are known.
fn find_starts(body: &[Statement], depot: &Variable, starts: &mut Vec<u64>) -> bool {
    body.iter().all(|statement| match statement {
        Statement::Block(inner) => find_starts(inner, depot, starts),
        Statement::Instruction(instruction) => match taken(instruction) {
            Some(at) => {
                starts.push(at);
                true
            }
            None => harmless(instruction, depot),
        },
        _ => true,
    })
}

/// Whether an instruction uses the stack in no way, sets its pointers, or accesses it at a constant offset.
fn harmless(instruction: &Instruction, depot: &Variable) -> bool {
    let sets = match (&instruction.opcode, &instruction.operands[..]) {
        (Opcode::Mov, [to, Operand::Name(from)]) => is_pointer(to) && *from == depot.name,
        (Opcode::Cvta, [to, from]) => is_pointer(to) && is_pointer(from),
        _ => false,
    };
    sets || !instruction.operands.iter().any(|operand| mentions(operand, depot))
}

/// Whether an operand mentions the stack other than in an address at a constant offset.
fn mentions(operand: &Operand, depot: &Variable) -> bool {
    let names = |name: &String| POINTERS.contains(&name.as_str()) || *name == depot.name;
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => names(name),
        Operand::Immediate(_) => false,
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().any(|operand| mentions(operand, depot))
        }
        Operand::Pair(one, other) => mentions(one, depot) || mentions(other, depot),
        Operand::Address(address) => {
            let base = match &address.base {
                AddressBase::Name(name) => *name == depot.name,
                AddressBase::Absolute(_) => false,
            };
            let inside = u64::try_from(address.offset).is_ok_and(|at| at < depot.size());
            let by_pointer = matches!(&address.base, AddressBase::Name(name) if names(name));
            base || by_pointer && !inside
                || address.extra.iter().any(|extra| mentions(extra, depot))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0
        .target sm_90
        .address_size 64
        .visible .entry k(.param .u64 out) {
        .local .align 16 .b8 __local_depot0[72];
        .reg .b64 %SP;
        .reg .b64 %SPL;
        .reg .b64 %rd<8>;
        .reg .b32 %r<4>;
        mov.u64 %SPL, __local_depot0;
        cvta.local.u64 %SP, %SPL;
        add.u64 %rd1, %SPL, 0;
        add.u64 %rd2, %SPL, 32;
        add.u64 %rd3, %SP, 48;
        st.local.u32 [%SPL+52], %r1;
        ld.u32 %r2, [%SP+40];
        ret;
        }";

    fn parsed(text: &str) -> Module {
        Module::parse(text).expect("right PTX")
    }

    #[test]
    fn each_object_becomes_a_variable() {
        let module = split_local_arrays(&parsed(TEXT)).expect("three objects");
        let body = module.functions().next().and_then(|f| f.body.clone()).expect("a body");
        let variable = |statement: &Statement| match statement {
            Statement::Variable(of) => Some((of.name.clone(), of.size())),
            _ => None,
        };
        let variables: Vec<(String, u64)> = body.iter().filter_map(variable).collect();
        let of = |name: &str, bytes| (name.to_owned(), bytes);
        let expected = [
            of("__local_depot0", 32),
            of("__local_depot0_array_2", 16),
            of("__local_depot0_array_3", 24),
        ];
        assert_eq!(variables, expected);
        let text = format!("{body:?}");
        assert!(!text.contains("Offset(\"%SP"), "{text}");
        let addresses = body.iter().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => {
                instruction.operands.iter().find_map(|operand| match operand {
                    Operand::Address(Address { base: AddressBase::Name(base), offset, .. }) => {
                        Some((base.clone(), *offset))
                    }
                    _ => None,
                })
            }
            _ => None,
        });
        let addresses: Vec<(String, i64)> = addresses.collect();
        let expected = [("__local_depot0_array_3", 4), ("__local_depot0_array_2", 8)];
        assert_eq!(addresses, expected.map(|(name, at)| (name.to_owned(), at)));
    }

    #[test]
    fn other_uses_of_the_stack_keep_it_whole() {
        for other in ["mov.u64 %rd4, %SP;", "add.u64 %rd4, %SPL, %rd1;", "add.u64 %rd4, %SPL, 72;"]
        {
            let text = TEXT.replace("ret;", &format!("{other} ret;"));
            assert!(split_local_arrays(&parsed(&text)).is_none(), "{other}");
        }
        let one = TEXT.replace("add.u64 %rd2, %SPL, 32;", "").replace("add.u64 %rd3, %SP, 48;", "");
        assert!(split_local_arrays(&parsed(&one)).is_none());
    }
}

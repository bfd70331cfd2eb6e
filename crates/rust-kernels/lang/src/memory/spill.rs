//! Arrays of variables in local memory: a load before every use of one of their registers, and a store
//! after every assignment.

use crate::data::operations::stored_type;
use crate::emit::builder::Builder;
use crate::emit::frames::Line;
use crate::emit::value::{Class, Register};
use lanework_ptx::{AddressBase, Guard, Instruction, Operand, ScalarType, Statement};
use std::collections::HashMap;

/// Rewrites the body for the arrays that were indexed at run time.
pub(crate) fn spill(b: &mut Builder) {
    if b.locals.blocks.is_empty() {
        return;
    }
    let places = place_blocks(b);
    let mut homes = HashMap::new();
    for (register, (block, offset, ty)) in &b.locals.homes {
        let (name, start) = &places[*block];
        let home = Operand::address(name.clone(), (start + offset) as i64);
        homes.insert(register.name(), Home { register: *register, ty: *ty, place: home });
    }
    rename(b, &places);
    for line in std::mem::take(&mut b.lines) {
        let mut uses = Vec::new();
        let (dest, guard) = match &line {
            Line::Op { instruction, dest, .. } => {
                let skip = usize::from(dest.is_some());
                instruction.operands.iter().skip(skip).for_each(|o| names(o, &mut uses));
                uses.extend(instruction.guard.as_ref().map(|guard| guard.register.clone()));
                (*dest, instruction.guard.clone())
            }
            Line::Statement(statement) => {
                statement_names(statement, &mut uses);
                (None, None)
            }
            Line::Label(_) => (None, None),
        };
        let location = match &line {
            Line::Op { instruction, .. } => instruction.location.clone(),
            _ => None,
        };
        let first = b.lines.len();
        uses.sort();
        uses.dedup();
        for name in &uses {
            if let Some(home) = homes.get(name) {
                load(b, home);
            }
        }
        b.lines.push(line);
        if let Some(home) = dest.and_then(|dest| homes.get(&dest.name())) {
            store(b, home, guard);
        }
        for line in &mut b.lines[first..] {
            if let Line::Op { instruction, .. } = line {
                instruction.location = location.clone();
            }
        }
    }
}

/// A variable in local memory.
struct Home {
    register: Register,
    ty: ScalarType,
    place: Operand,
}

/// Declares the blocks that hold variables; the symbol and offset of every block.
fn place_blocks(b: &mut Builder) -> Vec<(String, u64)> {
    let mut places = Vec::new();
    for block in 0..b.locals.blocks.len() {
        let (mut last, mut offset) = (block, 0);
        while let Some((next, further)) = b.locals.blocks[last].moved {
            (last, offset) = (next, offset + further);
        }
        let (symbol, bytes) = (b.locals.blocks[last].symbol, b.locals.blocks[last].bytes);
        if last == block {
            b.declare_local(symbol, bytes);
        }
        places.push((b.symbols[symbol].clone(), offset));
    }
    places
}

/// Gives accesses to a block that another took over the other's name.
fn rename(b: &mut Builder, places: &[(String, u64)]) {
    let mut moved = HashMap::new();
    for (block, place) in b.locals.blocks.iter().zip(places) {
        if block.moved.is_some() {
            moved.insert(b.symbols[block.symbol].clone(), place.clone());
        }
    }
    if moved.is_empty() {
        return;
    }
    for line in b.prologue.iter_mut().chain(&mut b.lines) {
        let Line::Op { instruction, .. } = line else { continue };
        for operand in &mut instruction.operands {
            match operand {
                Operand::Name(name) => {
                    if let Some((new, offset)) = moved.get(name) {
                        *operand = Operand::Offset(new.clone(), *offset as i64);
                    }
                }
                Operand::Address(address) => {
                    if let AddressBase::Name(name) = &mut address.base
                        && let Some((new, offset)) = moved.get(name)
                    {
                        *name = new.clone();
                        address.offset += *offset as i64;
                    }
                }
                _ => {}
            }
        }
    }
}

fn load(b: &mut Builder, home: &Home) {
    let Home { register, ty, place } = home;
    let name = format!("ld.local.{}", stored_type(*ty).name());
    let target = Operand::Name(register.name());
    if register.class == Class::Predicate {
        let word = b.register(ScalarType::U32, false);
        op(b, &name, vec![Operand::Name(word.name()), place.clone()], Some(word));
        let operands = vec![target, Operand::Name(word.name()), Operand::integer(0)];
        op(b, "setp.ne.u32", operands, Some(*register));
    } else {
        op(b, &name, vec![target, place.clone()], Some(*register));
    }
}

fn store(b: &mut Builder, home: &Home, guard: Option<Guard>) {
    let Home { register, ty, place } = home;
    let mut value = Operand::Name(register.name());
    if register.class == Class::Predicate {
        let word = b.register(ScalarType::U32, false);
        let operands =
            vec![Operand::Name(word.name()), Operand::integer(1), Operand::integer(0), value];
        op(b, "selp.u32", operands, Some(word));
        value = Operand::Name(word.name());
    }
    let name = format!("st.local.{}", stored_type(*ty).name());
    let mut instruction = Instruction::new(&name, vec![place.clone(), value]);
    instruction.guard = guard;
    b.lines.push(Line::Op { instruction, dest: None, pure: false });
}

fn op(b: &mut Builder, name: &str, operands: Vec<Operand>, dest: Option<Register>) {
    let instruction = Instruction::new(name, operands);
    b.lines.push(Line::Op { instruction, dest, pure: false });
}

/// The registers that an operand names.
fn names(operand: &Operand, out: &mut Vec<String>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
            out.push(name.clone());
        }
        Operand::Immediate(_) => {}
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().for_each(|operand| names(operand, out));
        }
        Operand::Pair(a, b) => {
            names(a, out);
            names(b, out);
        }
        Operand::Address(address) => {
            if let AddressBase::Name(name) = &address.base {
                out.push(name.clone());
            }
            address.extra.iter().for_each(|operand| names(operand, out));
        }
    }
}

fn statement_names(statement: &Statement, out: &mut Vec<String>) {
    match statement {
        Statement::Instruction(instruction) => {
            instruction.operands.iter().for_each(|operand| names(operand, out));
        }
        Statement::Block(inner) => inner.iter().for_each(|inner| statement_names(inner, out)),
        _ => {}
    }
}

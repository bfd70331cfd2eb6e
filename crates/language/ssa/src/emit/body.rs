//! Converts PTX with virtual registers to the statements of a PTX function.

use super::machine::*;
use super::positions::{FunctionNames, Positions};
use crate::CompileError;
use crate::analysis::{FastMap, FastSet};
use crate::ir::{BlockId, SourcePosition};
use lanework_ptx::{
    Address, AddressBase, Guard, Instruction, Location, Operand, Registers, Statement,
    parse_instructions,
};
use std::collections::HashMap;

/// Statements of a function's body, register declarations first.
pub(super) fn statements(
    function: &MachineFunction,
    names: &mut FunctionNames,
) -> Result<Vec<Statement>, CompileError> {
    let mut writer = Writer {
        function,
        positions: Positions { calls: &function.inlined, names, known: HashMap::new() },
        names: vec![None; function.registers.len()],
        counts: FastMap::default(),
        scopes: vec![Vec::new()],
    };
    let positions: FastMap<BlockId, usize> =
        function.blocks.iter().enumerate().map(|(index, block)| (block.id, index)).collect();
    let mut jumped_to = FastSet::default();
    for (index, block) in function.blocks.iter().enumerate() {
        let next = function.blocks.get(index + 1).map(|block| block.id);
        jumped_to.extend(jumps(&block.end, next).iter().map(|(_, target)| *target));
    }
    for (index, block) in function.blocks.iter().enumerate() {
        if jumped_to.contains(&block.id) {
            writer.add(Statement::Label(label(&positions, block.id)));
        }
        for instruction in &block.code {
            writer.instruction(instruction)?;
        }
        if let MachineEnd::Stop(name) = &block.end {
            writer.operation(name, Vec::new(), None, block.position);
        }
        let next = function.blocks.get(index + 1).map(|block| block.id);
        for (guard, target) in jumps(&block.end, next) {
            let guard =
                guard.map(|(register, negated)| Guard { register: writer.name(register), negated });
            writer.operation(
                "bra",
                vec![Operand::Name(label(&positions, target))],
                guard,
                block.position,
            );
        }
    }
    let body = writer.scopes.pop().unwrap_or_default();
    let mut statements = Vec::new();
    for class in RegisterClass::ALL {
        if let Some(count) = writer.counts.get(&class) {
            statements.push(Statement::Registers(Registers {
                vector: 1,
                ty: class.scalar(),
                names: vec![(class.prefix().to_owned(), Some(count + 1))],
            }));
        }
    }
    statements.extend(body);
    Ok(statements)
}

fn label(positions: &FastMap<BlockId, usize>, block: BlockId) -> String {
    format!("$L_{}", positions.get(&block).copied().unwrap_or_default())
}

type GuardedJump = (Option<(VirtualRegister, bool)>, BlockId);

/// The jumps at the end of a block, if the block `next` follows in the text.
fn jumps(end: &MachineEnd, next: Option<BlockId>) -> Vec<GuardedJump> {
    match end {
        MachineEnd::Jump(target) if Some(*target) == next => vec![],
        MachineEnd::Jump(target) => vec![(None, *target)],
        MachineEnd::Branch(condition, yes, no) => {
            if Some(*no) == next {
                vec![(Some((*condition, false)), *yes)]
            } else if Some(*yes) == next {
                vec![(Some((*condition, true)), *no)]
            } else {
                vec![(Some((*condition, false)), *yes), (None, *no)]
            }
        }
        MachineEnd::Stop(_) => vec![],
    }
}

struct Writer<'a> {
    function: &'a MachineFunction,
    positions: Positions<'a>,
    names: Vec<Option<String>>,
    counts: FastMap<RegisterClass, u32>,
    scopes: Vec<Vec<Statement>>,
}

impl Writer<'_> {
    fn add(&mut self, statement: Statement) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(statement);
        }
    }

    /// The location of an instruction, after the positions of the calls around it.
    fn location(&mut self, position: SourcePosition) -> Option<Location> {
        let (calls, location) = self.positions.of(position);
        for call in calls {
            self.add(Statement::Directive(call));
        }
        location
    }

    fn name(&mut self, register: VirtualRegister) -> String {
        let index = register.0 as usize;
        if let Some(name) = &self.names[index] {
            return name.clone();
        }
        let class = self.function.registers[index];
        let count = self.counts.entry(class).or_default();
        *count += 1;
        let name = format!("{}{count}", class.prefix());
        self.names[index] = Some(name.clone());
        name
    }

    fn operation(
        &mut self,
        name: &str,
        operands: Vec<Operand>,
        guard: Option<Guard>,
        position: SourcePosition,
    ) {
        let mut instruction = Instruction::new(name, operands);
        instruction.guard = guard;
        instruction.location = self.location(position);
        self.add(Statement::Instruction(instruction));
    }

    fn instruction(&mut self, instruction: &MachineInstruction) -> Result<(), CompileError> {
        match &instruction.body {
            MachineBody::Operation { name, operands, .. } => {
                let operands = operands.iter().map(|operand| self.operand(operand)).collect();
                self.operation(name, operands, None, instruction.position);
            }
            MachineBody::Text { pieces, .. } => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        TextPiece::Text(piece) => text += piece,
                        TextPiece::Register(register) => text += &self.name(*register),
                    }
                }
                let trimmed = text.trim_end();
                if !trimmed.is_empty() && !trimmed.ends_with([';', '}', ':']) {
                    text += ";";
                }
                let parsed = parse_instructions(&text).map_err(|problems| CompileError {
                    message: format!("inline PTX: {problems}"),
                    position: instruction.position,
                })?;
                let location = self.location(instruction.position);
                for mut statement in parsed {
                    place(&mut statement, &location);
                    self.add(statement);
                }
            }
            MachineBody::Open => self.scopes.push(Vec::new()),
            MachineBody::Close => {
                let scope = self.scopes.pop().unwrap_or_default();
                self.add(Statement::Block(scope));
            }
            MachineBody::Declare(variable) => self.add(Statement::Variable(variable.clone())),
            MachineBody::Directive(label, text) => {
                if let Some(label) = label {
                    self.add(Statement::Label(label.clone()));
                }
                self.add(Statement::Directive(text.clone()));
            }
            // `coalesce` has already expanded these.
            MachineBody::Copies(_) => {}
        }
        Ok(())
    }

    fn operand(&mut self, operand: &MachineOperand) -> Operand {
        match operand {
            MachineOperand::Register(register) => Operand::Name(self.name(*register)),
            MachineOperand::Immediate(value) => Operand::Immediate(*value),
            MachineOperand::Name(name) => Operand::Name(name.clone()),
            MachineOperand::NameOffset(name, offset) => Operand::Offset(name.clone(), *offset),
            MachineOperand::Address(base, offset) => Operand::Address(Address {
                base: match base {
                    MachineBase::Register(register) => AddressBase::Name(self.name(*register)),
                    MachineBase::Name(name) => AddressBase::Name(name.clone()),
                    MachineBase::Absolute(address) => AddressBase::Absolute(*address),
                },
                offset: *offset,
                extra: Vec::new(),
            }),
            MachineOperand::Vector(elements) => {
                Operand::Vector(elements.iter().map(|element| self.operand(element)).collect())
            }
            MachineOperand::Arguments(elements) => {
                Operand::Arguments(elements.iter().map(|element| self.operand(element)).collect())
            }
        }
    }
}

/// Gives instructions of inline PTX the position of the statement.
fn place(statement: &mut Statement, location: &Option<Location>) {
    match statement {
        Statement::Instruction(instruction) => {
            instruction.location.clone_from(location);
            instruction.text_line = 0;
        }
        Statement::Block(inner) => inner.iter_mut().for_each(|inner| place(inner, location)),
        _ => {}
    }
}

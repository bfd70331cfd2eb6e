//! Tables of the algorithms of `lanework-math`, in constant memory.

use crate::arithmetic::binary;
use crate::cast::cast;
use crate::current::with;
use crate::operation::Operation;
use crate::value::Value;
use lanework_ptx::{Immediate, Initializer, Operand, ScalarType, StateSpace, Variable};

/// `table[index]`, from constant memory.
pub(super) fn look_up(name: &str, ty: ScalarType, table: Vec<i128>, index: Value) -> Value {
    with(|b| {
        let size = ty.size();
        let count = table.len() as u64;
        let init =
            table.into_iter().map(|word| Initializer::Value(Immediate::Integer(word))).collect();
        let init = Some(Initializer::List(init));
        let symbol = match b.globals.iter().find(|global| global.init == init) {
            Some(global) => global.name.clone(),
            None => {
                let symbol = b.unique(name);
                b.globals.push(Variable {
                    align: Some(size),
                    dims: vec![Some(count)],
                    init,
                    ..Variable::new(StateSpace::Const, ty, &symbol)
                });
                symbol
            }
        };
        let long = ScalarType::U64;
        let key = b.computation(&format!("address.{symbol}"), [].into_iter());
        let base = b.pure_operands(key, "mov.u64", long, vec![Operand::from(symbol.as_str())]);
        let offset = cast(b, index, ScalarType::U32, long);
        let offset = binary(b, Operation::Mul, long, offset, Value::Constant(size.into()));
        let address = binary(b, Operation::Add, long, base, offset);
        let key = b.computation("ld.const", [address].into_iter());
        let operand = match b.operand(address, long) {
            Operand::Name(register) => Operand::address(register, 0),
            other => other,
        };
        b.pure_operands(key, &format!("ld.const.{}", ty.name()), ty, vec![operand])
    })
}

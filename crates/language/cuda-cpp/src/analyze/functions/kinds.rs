//! Kinds of functions: supplied and virtual ones, those that convert, those that may throw, and those that only determine
//! a type.

use crate::typed::FunctionNumber;
use std::collections::HashSet;

/// A member function that the compiler supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ImplicitMember {
    Destructor,
    Copy,
    Move,
    CopyAssignment,
    MoveAssignment,
}

/// The virtual functions of a class.
#[derive(Clone, Debug, Default)]
pub struct VirtualFunctions {
    /// The functions that the class declares itself.
    pub declared: Vec<FunctionNumber>,
    /// The functions of its table.
    pub slots: Vec<FunctionNumber>,
}

/// The function that a user-defined conversion calls.
#[derive(Clone, Copy)]
pub enum UserConversion {
    Operator(FunctionNumber),
    Constructor(FunctionNumber),
}

/// The needs of a function's body, if only the type of its result has been asked for.
#[derive(Default)]
pub struct Postponed {
    /// The functions that it calls. Nothing compiles them before something calls the function itself.
    pub callees: Vec<FunctionNumber>,
    /// Whether the body has errors, which matter only if something calls the function.
    pub failed: bool,
}

/// Which functions call which, and which may throw.
#[derive(Default)]
pub struct ThrowingCalls {
    pub calls: HashSet<(FunctionNumber, FunctionNumber)>,
    pub throws: HashSet<FunctionNumber>,
    /// Whether the program catches exceptions.
    pub catches: bool,
}

impl ThrowingCalls {
    /// Records a call.
    pub fn call(&mut self, caller: Option<FunctionNumber>, callee: FunctionNumber) {
        if let Some(caller) = caller {
            self.calls.insert((caller, callee));
        }
    }

    /// Records a call of an unknown function, or a `throw`.
    pub fn indirect(&mut self, caller: Option<FunctionNumber>) {
        self.throws.extend(caller);
    }
}

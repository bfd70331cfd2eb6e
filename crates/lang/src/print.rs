//! Printing from the device.

use lanework_ptx::{Function, Linkage, ScalarType, StateSpace, Variable};

/// The declaration of `vprintf`, which the driver provides.
pub(crate) fn vprintf_declaration() -> Function {
    Function {
        linkage: Linkage::Extern,
        entry: false,
        name: "vprintf".to_owned(),
        returns: vec![Variable::new(StateSpace::Param, ScalarType::B32, "status")],
        params: vec![
            Variable::new(StateSpace::Param, ScalarType::B64, "format"),
            Variable::new(StateSpace::Param, ScalarType::B64, "arguments"),
        ],
        directives: Vec::new(),
        body: None,
    }
}

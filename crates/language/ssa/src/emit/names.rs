//! Names of variables, functions and parameters in the text.

use crate::ir::*;

/// Names that instruction selection needs.
pub(super) struct ModuleNames<'a> {
    pub module: &'a SsaModule,
    /// The function being written.
    pub function: &'a str,
    pub is_kernel: bool,
}

impl ModuleNames<'_> {
    pub(super) fn global(&self, global: GlobalId) -> &str {
        &self.module.globals[global.index()].name
    }

    pub(super) fn function(&self, function: FunctionId) -> &str {
        &self.module.functions[function.index()].name
    }

    /// The variable that holds all stack slots.
    pub(super) fn frame(&self) -> &'static str {
        "__local_depot0"
    }

    pub(super) fn parameter(&self, index: usize) -> String {
        format!("{}_param_{index}", self.function)
    }

    /// The return value of a device function.
    pub(super) fn returned(&self) -> &'static str {
        "func_retval0"
    }
}

/// Offsets of values that are returned together, and the size and alignment of the whole.
pub(super) fn return_layout(types: &[ValueType]) -> (Vec<u64>, u64, u32) {
    let (mut size, mut align) = (0_u64, 1);
    let offsets = types
        .iter()
        .map(|ty| {
            let bytes = ty.bytes();
            align = align.max(bytes);
            let offset = size.next_multiple_of(bytes.into());
            size = offset + u64::from(bytes);
            offset
        })
        .collect();
    (offsets, size, align)
}

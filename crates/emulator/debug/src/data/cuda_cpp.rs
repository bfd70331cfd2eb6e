//! The names in a kernel that Lanework's own compiler for CUDA C++ compiled.

use crate::data::scope::{SourceNames, SourceParameter, SourceVariable, VariableFrame};
use crate::data::types::{DataType, FloatKind, RecordField, RecordType};
use lanework_cuda_cpp::{DebugNames, DebugType};
use std::sync::Arc;

/// The names of the kernel with the PTX name `entry`.
pub fn names(known: &DebugNames, entry: &str) -> SourceNames {
    let parameters = known.parameters.iter().filter(|parameter| parameter.function == entry);
    let parameters = parameters.map(|parameter| SourceParameter {
        name: parameter.name.clone(),
        ty: data_type(&parameter.ty),
    });
    let variables = known.variables.iter().map(|variable| SourceVariable {
        function: variable.function.clone(),
        name: variable.name.clone(),
        ty: data_type(&variable.ty),
        offset: 0,
        lines: variable.lines,
        text: None,
        frame: VariableFrame::OfFunction(variable.memory.clone()),
    });
    let arrays = known.arrays.iter().map(|array| (array.name.clone(), data_type(&array.ty)));
    SourceNames {
        parameters: parameters.collect(),
        variables: variables.collect(),
        arrays: arrays.collect(),
    }
}

/// Classes of CUDA's headers that represent numbers.
fn number_class(name: &str) -> Option<FloatKind> {
    match name {
        "__half" => Some(FloatKind::F16),
        "__nv_bfloat16" => Some(FloatKind::BF16),
        _ => None,
    }
}

fn data_type(ty: &DebugType) -> DataType {
    match ty {
        DebugType::Void => DataType::Void,
        DebugType::Bool => DataType::Bool,
        DebugType::Integer { bytes, signed } => {
            DataType::Integer { bytes: *bytes, signed: *signed }
        }
        DebugType::Float(2) => DataType::Float(FloatKind::F16),
        DebugType::Float(8) => DataType::Float(FloatKind::F64),
        DebugType::Float(_) => DataType::F32,
        DebugType::Pointer(to) => DataType::Pointer(Arc::new(data_type(to))),
        DebugType::Array(element, count) => DataType::Array(Arc::new(data_type(element)), *count),
        DebugType::Record(name, bytes, fields) => match number_class(name) {
            Some(kind) => DataType::Float(kind),
            None => {
                let field = |field: &lanework_cuda_cpp::DebugField| RecordField {
                    name: field.name.clone(),
                    offset: field.offset,
                    ty: data_type(&field.ty),
                };
                let fields = fields.iter().map(field).collect();
                let (name, bytes) = (name.to_string(), *bytes);
                DataType::Record(Arc::new(RecordType { name, bytes, fields }))
            }
        },
    }
}

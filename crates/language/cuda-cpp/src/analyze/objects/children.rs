//! Launches from device code (dynamic parallelism): the arguments go to a buffer of the device runtime, which starts the
//! grid when the launching one has ended.

use super::Analyzer;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::TypeId;
use std::rc::Rc;

/// The largest size of all arguments of a kernel, in bytes.
const LARGEST: u64 = 4096;

impl Analyzer {
    /// `kernel<<<grid, block>>>(...)` in device code.
    pub(in crate::analyze) fn device_launch(
        &mut self,
        launch: &LaunchSyntax,
        span: Span,
    ) -> Option<Typed> {
        let values = self.arguments(&launch.arguments)?;
        let configuration = self.arguments(&launch.configuration)?;
        let (kernel, fitted) = self.launched_kernel(launch, values, span)?;
        let void = self.types.pointer(TypeId::VOID);
        let (mut offsets, mut bytes) = (Vec::new(), 0u64);
        for value in &fitted {
            let align = self.types.align(value.ty).max(1);
            let offset = bytes.next_multiple_of(align);
            offsets.push(offset);
            bytes = offset + self.types.size(value.ty);
        }
        if bytes > LARGEST {
            self.error(
                span,
                format!("these arguments need {bytes} bytes; a launch can pass {LARGEST}"),
            );
            return None;
        }
        // The buffer is null if too many launches are pending; the launch then fails.
        let align = self.constant(16, TypeId::UNSIGNED, span);
        let size = self.constant(bytes, TypeId::UNSIGNED, span);
        let taken =
            self.call_named("__cuda_syscall_cnpv2GetParameterBuffer", vec![align, size], span);
        let local = self.add_local("buffer".to_owned(), void, span);
        let statement = |kind| TypedStatement { kind, span };
        let rvalue = |kind, ty| Typed { kind, ty, lvalue: false, expiring: false, span };
        let declared = statement(TypedStatementKind::Declare(local, Some(taken)));
        let place = self.local_place(local, span);
        let buffer = self.rvalue(place);
        let mut stores = Vec::new();
        for (value, offset) in fitted.into_iter().zip(offsets) {
            let pointer = self.types.pointer(value.ty);
            let index = self.constant(offset, TypeId::LONG, span);
            let kind = TypedKind::PointerAdd(Box::new(buffer.clone()), Box::new(index), 1);
            let kind = TypedKind::InitializeAt(Box::new(rvalue(kind, pointer)), Box::new(value));
            stores.push(statement(TypedStatementKind::Expression(rvalue(kind, pointer))));
        }
        let null = Typed { ty: void, ..self.constant(0, TypeId::NULL, span) };
        let kind =
            TypedKind::Compare(BinaryOperator::NotEqual, Box::new(buffer.clone()), Box::new(null));
        let filled = statement(TypedStatementKind::If(
            rvalue(kind, TypeId::BOOL),
            Box::new(statement(TypedStatementKind::Block(stores))),
            None,
        ));
        let mut operands = vec![Typed { ty: void, ..kernel }, buffer];
        operands.extend(configuration);
        let called = self.call_named("__lw_launch_child", operands, span);
        if called.ty == TypeId::ERROR {
            return None;
        }
        let kind = TypedKind::Statements(Rc::new(vec![declared, filled]), Box::new(called));
        Some(rvalue(kind, TypeId::VOID))
    }
}

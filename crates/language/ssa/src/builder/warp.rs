//! Barriers, fences, and exchanges within a warp, as PTX templates.

use super::FunctionBuilder;
use crate::ir::*;

/// The lane that a shuffle reads from (PTX `shfl.sync`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// The given lane (`.idx`).
    Index,
    /// The lane a given distance below (`.up`).
    Up,
    /// The lane a given distance above (`.down`).
    Down,
    /// The lane whose number differs in the given bits (`.bfly`).
    Butterfly,
}

impl FunctionBuilder {
    /// PTX text with one output. Constant inputs are written as literals.
    pub fn ptx_value(
        &mut self,
        text: impl Into<String>,
        ty: ValueType,
        inputs: &[ValueId],
        effects: PtxEffects,
    ) -> ValueId {
        let text = text.into();
        let outputs = vec![ty];
        self.ptx(PtxTemplate { text, outputs, literals: true, tied: vec![], effects }, inputs)[0]
    }

    /// PTX text without outputs. Constant inputs are written as literals.
    pub fn ptx_effect(&mut self, text: impl Into<String>, inputs: &[ValueId], effects: PtxEffects) {
        let (text, outputs) = (text.into(), vec![]);
        self.ptx(PtxTemplate { text, outputs, literals: true, tied: vec![], effects }, inputs);
    }

    /// `__syncthreads()`.
    pub fn barrier(&mut self) {
        self.ptx_effect("bar.sync 0;", &[], PtxEffects::BARRIER);
    }

    /// `__syncwarp(mask)`.
    pub fn warp_barrier(&mut self, mask: ValueId) {
        self.ptx_effect("bar.warp.sync %0;", &[mask], PtxEffects::BARRIER);
    }

    /// `__threadfence()` and its variants: `membar`.
    pub fn fence(&mut self, scope: ThreadScope) {
        let text = match scope {
            ThreadScope::Block => "membar.cta;",
            ThreadScope::Cluster => "fence.acq_rel.cluster;",
            ThreadScope::Device => "membar.gl;",
            ThreadScope::System => "membar.sys;",
        };
        let effects = PtxEffects { convergent: false, ..PtxEffects::BARRIER };
        self.ptx_effect(text, &[], effects);
    }

    /// Exchanges a 32-bit value. Returns the value of the source lane, and whether that lane is in range. `clamp`
    /// is the last operand of `shfl.sync`: segment mask and clamp value.
    pub fn shuffle(
        &mut self,
        mode: ShuffleMode,
        value: ValueId,
        lane: ValueId,
        clamp: ValueId,
        mask: ValueId,
    ) -> (ValueId, ValueId) {
        let mode = match mode {
            ShuffleMode::Index => "idx",
            ShuffleMode::Up => "up",
            ShuffleMode::Down => "down",
            ShuffleMode::Butterfly => "bfly",
        };
        let template = PtxTemplate {
            text: format!("shfl.sync.{mode}.b32 %0|%1, %2, %3, %4, %5;"),
            outputs: vec![self.value_type(value), ValueType::I1],
            literals: true,
            tied: vec![],
            effects: PtxEffects::CONVERGENT,
        };
        let outputs = self.ptx(template, &[value, lane, clamp, mask]);
        (outputs[0], outputs[1])
    }

    /// `__any_sync`, `__all_sync` (`I1`) and `__ballot_sync` (`I32`), by their PTX name: `any`, `all`, `ballot`.
    pub fn vote(&mut self, mode: &str, predicate: ValueId, mask: ValueId) -> ValueId {
        let (suffix, ty) = match mode {
            "ballot" => ("b32", ValueType::I32),
            _ => ("pred", ValueType::I1),
        };
        let text = format!("vote.sync.{mode}.{suffix} %0, %1, %2;");
        self.ptx_value(text, ty, &[predicate, mask], PtxEffects::CONVERGENT)
    }
}

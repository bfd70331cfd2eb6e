//! Predicts the times of a program's launches, for `lanework exec --predict`.
//!
//! A launch that would take long on the emulator runs in part: its traced blocks only. The first launches of a kernel in one
//! shape are predicted.

use crate::tool::launching::Launching;
use crate::tool::record::{Launched, Predicted};
use lanework_emulator::{Emulator, Fault};
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::trace::sample::{Effort, record};
use std::sync::{Mutex, PoisonError};

/// Warp instructions of a launch that runs to its end.
const WHOLE: f64 = 2e8;
/// Launches of a kernel in one shape that are predicted.
const LAUNCHES: u64 = 2;

/// The tool.
pub(in crate::tool) struct Predictor {
    model: GpuModel,
    protocol: Protocol,
    seen: Mutex<Vec<(Launched, u64, bool)>>,
}

/// The prediction of one launch.
pub(in crate::tool) struct PredictedLaunch {
    /// Its record, if it is one of the first of its kernel and shape.
    pub(in crate::tool) record: Option<Predicted>,
    /// Whether it should not run to its end.
    pub(in crate::tool) partial: bool,
}

impl Predictor {
    /// The tool for a GPU and a protocol, separated by a tab.
    pub(in crate::tool) fn parse(text: &str) -> Predictor {
        let (gpu, protocol) = text.split_once('\t').unwrap_or((text, ""));
        let protocol = match protocol {
            "warm" => Protocol::Warm,
            _ => Protocol::Flushed,
        };
        Predictor { model: GpuModel::named(gpu), protocol, seen: Mutex::default() }
    }

    /// Predicts a launch on an emulator with its memory.
    ///
    /// # Errors
    /// A fault of a traced block.
    pub(in crate::tool) fn predict(
        &self,
        launch: Launching<'_>,
        on: &Emulator,
        launched: Launched,
    ) -> Result<PredictedLaunch, Fault> {
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, count, partial)) = seen.iter_mut().find(|(of, ..)| *of == launched) {
                *count += 1;
                if *count > LAUNCHES {
                    return Ok(PredictedLaunch { record: None, partial: *partial });
                }
            }
        }
        let effort =
            Effort { multiprocessors: self.model.gpu.multiprocessors.into(), ..Effort::default() };
        let trace = record(on, launch.program, launch.config, launch.arguments, effort)?;
        let blocks = trace.blocks.len().max(1) as f64;
        let executed: u64 = trace.blocks.iter().map(|block| block.executed()).sum();
        let whole = executed as f64 / blocks * trace.total_blocks() as f64;
        let partial = whole > WHOLE || trace.blocks.iter().any(|block| !block.complete);
        let found = predict(&trace, &self.model, self.protocol);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.iter().any(|(of, ..)| *of == launched) {
            seen.push((launched.clone(), 1, partial));
        }
        let record =
            Predicted { launch: launched, module: launch.module, json: found.json(), partial };
        Ok(PredictedLaunch { record: Some(record), partial })
    }
}

//! One subject's result, as a row of the table and as JSON.

use crate::judgement::{Demand, Judgement};
use crate::measure::{Timing, median};
use crate::subject::{Engine, Label};
use serde_json::{Value, json};

/// One subject's result.
pub struct Row {
    /// Which subject.
    pub label: Label,
    /// How it compares; filled in once all rows are there.
    pub judgement: Option<Judgement>,
    lane_instructions: u64,
    timing: Result<Timing, String>,
}

impl Row {
    /// A subject that was proven and timed.
    pub fn timed(label: Label, lane_instructions: u64, timing: Timing) -> Row {
        Row { label, judgement: None, lane_instructions, timing: Ok(timing) }
    }

    /// A subject that could not run or was wrong.
    pub fn failed(label: Label, why: String) -> Row {
        Row { label, judgement: None, lane_instructions: 0, timing: Err(why) }
    }

    /// Whether it could not run or was wrong.
    pub fn is_failed(&self) -> bool {
        self.timing.is_err()
    }

    /// The samples, if it was timed.
    pub fn timing(&self) -> Option<&Timing> {
        self.timing.as_ref().ok()
    }

    /// The samples that it is judged by: processor time with one worker, because other programs on the
    /// machine do not count in it, and elapsed time with more, because that is what they shorten.
    pub fn samples(&self) -> Option<&[f64]> {
        let timing = self.timing()?;
        Some(if self.label.workers == 1 { &timing.processor } else { &timing.elapsed })
    }

    /// Median 10^9 lane instructions per second; none for native code, which has no PTX instructions.
    pub fn rate(&self) -> Option<f64> {
        let milliseconds = median(self.samples()?);
        let rate = self.lane_instructions as f64 / milliseconds / 1e6;
        (self.label.engine != Engine::Pocl).then_some(rate)
    }

    /// The row as JSON.
    pub fn json(&self) -> Value {
        let mut row = json!({ "engine": self.label.engine.name(), "workers": self.label.workers });
        match &self.timing {
            Ok(timing) => {
                row["gli_per_s"] = json!(self.rate());
                row["elapsed_ms"] = json!(timing.elapsed);
                row["processor_ms"] = json!(timing.processor);
            }
            Err(why) => row["error"] = json!(why),
        }
        if let Some(judgement) = &self.judgement {
            row["figure"] = json!({ "value": judgement.figure, "unit": judgement.unit });
            let (bound, value) = match judgement.demand {
                Some(Demand::AtLeast(value)) => ("at_least", value),
                Some(Demand::AtMost(value)) => ("at_most", value),
                None => return row,
            };
            row["demand"] = json!({ bound: value, "met": judgement.met() });
        }
        row
    }

    /// The row of the table, for the kernel of this name.
    pub fn line(&self, name: &str) -> String {
        let start = format!("{name:<17} {:<9} {:>7}", self.label.engine.name(), self.label.workers);
        let timing = match &self.timing {
            Ok(timing) => timing,
            Err(why) => return format!("{start}   NOT TIMED: {why}"),
        };
        let (elapsed, processor) = (median(&timing.elapsed), median(&timing.processor));
        let rate = self.rate().map_or_else(|| "-".to_owned(), |rate| format!("{rate:.2}"));
        let judgement = self.judgement.as_ref().map_or_else(String::new, Judgement::describe);
        format!("{start} {elapsed:>10.2} {processor:>9.2} {rate:>7}   {judgement}")
    }
}

//! Threads and stacks: the warps of the stopped cluster's blocks, each with the calls of one of its lanes.

use super::state::{Adapter, Answer, ShownFrame};
use crate::code::CallFrame;
use crate::data::evaluate::{ThreadPlace, coordinates};
use lanework_ptx_ir::cpp_names::readable;
use serde_json::{Value, json};
use std::path::Path;

impl Adapter<'_, '_, '_> {
    /// Warps of a block.
    fn warps(&self) -> u64 {
        let threads: u32 = self.console.session.scope().block.iter().product();
        u64::from(threads.div_ceil(32).max(1))
    }

    /// The protocol's number of a warp.
    pub(super) fn thread_id(&self, block: u64, warp: u32) -> u64 {
        block * self.warps() + u64::from(warp) + 1
    }

    /// `threads`: the warps of the stopped cluster's blocks; at the end of a launch, of the selected block.
    pub(super) fn threads(&mut self) -> Value {
        let session = &*self.console.session;
        let (focus, thread) = session.focus();
        let scope = session.scope();
        let mut blocks: Vec<u64> = session
            .moment()
            .iter()
            .flat_map(|moment| &moment.blocks)
            .map(|one| one.block)
            .collect();
        if !blocks.contains(&focus) {
            blocks.push(focus);
        }
        blocks.sort_unstable();
        let mut threads = Vec::new();
        for block in blocks {
            let [x, y, z] = coordinates(scope.grid, block);
            for warp in 0..self.warps() as u32 {
                let lane = match (block, warp) == (focus, thread / 32) {
                    true => format!(", lane {} (selected)", thread % 32),
                    false => String::new(),
                };
                let name = format!("block ({x},{y},{z}), warp {warp}{lane}");
                threads.push(json!({ "id": self.thread_id(block, warp), "name": name }));
            }
        }
        json!({ "threads": threads })
    }

    /// The thread that a request means by the number of a warp: the selected one, if it is in the warp, else the first
    /// live one.
    pub(super) fn thread_of(&self, given: &Value) -> Result<(u64, u32), String> {
        let session = &*self.console.session;
        let (block, thread) = session.focus();
        let Some(id) = given["threadId"].as_u64().and_then(|id| id.checked_sub(1)) else {
            return Ok((block, thread));
        };
        let (asked, warp) = (id / self.warps(), (id % self.warps()) as u32);
        let blocks: u64 = session.scope().grid.iter().map(|extent| u64::from(*extent)).product();
        if asked >= blocks {
            return Err(format!("there is no thread {}; `threads` lists them", id + 1));
        }
        if (asked, warp) == (block, thread / 32) {
            return Ok((block, thread));
        }
        let state = session.moment().and_then(|moment| moment.block(asked));
        let lanes = state.and_then(|state| state.warps.get(warp as usize)?.lanes.first());
        Ok((asked, warp * 32 + lanes.map_or(0, |at| at.mask.trailing_zeros() % 32)))
    }

    /// `stackTrace`.
    pub(super) fn stack(&mut self, given: &Value) -> Answer {
        let (block, thread) = self.thread_of(given)?;
        let place = self.console.session.place_of(block, thread);
        let scope = std::sync::Arc::clone(self.console.session.scope());
        let code = &scope.code;
        let frames = code.frames(place.instruction);
        let start = given["startFrame"].as_u64().unwrap_or(0) as usize;
        let most =
            given["levels"].as_u64().filter(|most| *most > 0).map_or(usize::MAX, |n| n as usize);
        let from = self.options.lines_from;
        let mut made = Vec::new();
        for (index, frame) in frames.iter().enumerate().skip(start).take(most) {
            let instruction = code.frame_instruction(place.instruction, index);
            self.frames.push(ShownFrame { place: ThreadPlace { instruction, ..place } });
            made.push(self.frame(frame, from));
        }
        Ok(json!({ "stackFrames": made, "totalFrames": frames.len() }))
    }

    /// The last shown frame, in the protocol's form.
    fn frame(&mut self, frame: &CallFrame, from: u64) -> Value {
        let name = match frame.function.is_empty() {
            true => "inlined function".into(),
            false => readable(&frame.function),
        };
        let id = self.frames.len();
        let Some(line) = frame.line else {
            return json!({ "id": id, "name": name, "line": 0, "column": 0 });
        };
        let path = self.console.session.scope().code.file(line.file).to_owned();
        let file = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
        let file = file.unwrap_or_else(|| path.clone());
        let source = match Path::new(&path).is_file() {
            true => {
                let whole = std::path::absolute(&path).unwrap_or_else(|_| (&path).into());
                json!({ "name": file, "path": whole.display().to_string() })
            }
            // The text is in this program, such as PTX or a rung's source.
            false if self.console.whole_source(&path).is_some() => {
                json!({ "name": file, "path": path, "sourceReference": line.file + 1 })
            }
            false => json!({ "name": file, "path": path }),
        };
        let line = u64::from(line.line) + from - 1;
        json!({ "id": id, "name": name, "line": line, "column": 0, "source": source })
    }

    /// `source`: a text that is not in a file.
    pub(super) fn source(&mut self, given: &Value) -> Answer {
        let reference = given["sourceReference"].as_u64();
        let reference = reference.or(given["source"]["sourceReference"].as_u64()).unwrap_or(0);
        let number = reference.checked_sub(1).ok_or("the editor reads this file itself")?;
        let file = self.console.session.scope().code.file(number as u32).to_owned();
        let text = self.console.whole_source(&file);
        let content = text.ok_or_else(|| format!("the text of `{file}` is not available"))?;
        Ok(json!({ "content": content }))
    }
}

//! A candidate: its PTX, its launch, and whether it matches the task.

use crate::candidates::scan;
use crate::task::{Launch, Task};
use crate::verdict::Reason;
use lanework_runtime::ptx::Module;

/// A candidate as submitted.
pub struct Submission {
    /// Its name in the verdict.
    pub name: String,
    /// Its source, if it is CUDA C++.
    pub source: Option<String>,
    /// Its PTX, if submitted as PTX.
    pub ptx: Option<String>,
}

/// A candidate that is ready to run.
pub struct Candidate {
    /// Its PTX.
    pub ptx: String,
    /// The parsed PTX.
    pub module: Module,
    /// Its launch.
    pub launch: Launch,
}

impl Submission {
    /// Checks the source before compilation.
    ///
    /// # Errors
    /// The reason for the refusal.
    pub fn check_source(&self, task: &Task) -> Result<(), Reason> {
        let texts = [&self.source, &self.ptx];
        let size = texts.into_iter().flatten().map(|text| text.len() as u64).max().unwrap_or(0);
        if size > task.limits.source {
            let why = format!("it has {size} bytes, more than the {} allowed", task.limits.source);
            return Err(Reason::new("source", why));
        }
        self.source.as_deref().map_or(Ok(()), scan::source)
    }
}

impl Candidate {
    /// Checks the PTX of a candidate whose source declares the launch.
    ///
    /// # Errors
    /// The reason for the refusal.
    pub fn new(
        submission: &Submission,
        ptx: String,
        task: &Task,
        notes: &mut Vec<String>,
    ) -> Result<Candidate, Reason> {
        if ptx.len() as u64 > task.limits.source {
            let why = format!(
                "its PTX has {} bytes, more than the {} allowed",
                ptx.len(),
                task.limits.source
            );
            return Err(Reason::new("source", why));
        }
        let parsed = Module::parse(&ptx).and_then(|module| module.validate().map(|()| module));
        let module = parsed.map_err(|problems| Reason::new("ptx", problems.to_string()))?;
        let Some(entry) = module.entry(&task.entry) else {
            let names: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let why = format!(
                "it has no kernel `{}`; its kernels are: {names}. In CUDA C++ write extern \"C\" before `__global__`",
                task.entry
            );
            return Err(Reason::new("entry", why));
        };
        let (given_count, wanted) = (entry.params.len(), task.parameters.len());
        if given_count != wanted {
            let why =
                format!("`{}` takes {given_count} parameters, the task gives {wanted}", task.entry);
            return Err(Reason::new("signature", why));
        }
        for (number, (own, wanted)) in entry.params.iter().zip(&task.parameters).enumerate() {
            let bytes = if wanted.is_array() { 8 } else { wanted.element.bytes() as u64 };
            if own.size() != bytes {
                let why = format!(
                    "parameter {} of `{}` has {} bytes, `{}` has {bytes}",
                    number + 1,
                    task.entry,
                    own.size(),
                    wanted.name
                );
                return Err(Reason::new("signature", why));
            }
        }
        scan::module(&module, task, notes)?;
        let text = submission.source.as_ref().unwrap_or(&ptx);
        let declared = match task.declared_launch {
            true => Launch::declared(&submission.name, text).transpose(),
            false => Ok(None),
        };
        let declared = declared.map_err(|error| Reason::new("launch", error.to_string()))?;
        let launch = declared.or_else(|| task.launch.clone()).ok_or_else(|| {
            let why = "the task gives no launch, and the candidate declares none by lines such as `// judge: block = [256]`";
            Reason::new("launch", why)
        })?;
        Ok(Candidate { ptx, module, launch })
    }
}

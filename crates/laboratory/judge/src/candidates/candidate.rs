//! A candidate: its PTX, its launch, whether it matches the task, and the static checks of its source and PTX.
//!
//! The scan of a source errs on the side of refusing. It finds directives after it resolves line splices and
//! trigraphs, and does not strip comments or strings: whatever hides the end of a comment would also hide a
//! directive.

use crate::task::{Allowance, Launch, Task};
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
        self.source.as_deref().map_or(Ok(()), check_source)
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
        check_module(&module, task, notes)?;
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

/// CUDA headers that a source may include: full names, and folders.
const HEADERS: &str = "\
    cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_runtime.h cuda.h mma.h math_constants.h \
    cooperative_groups.h cuda_pipeline.h cuda_awbarrier.h stdint.h cstdint stddef.h math.h cmath \
    assert.h cooperative_groups/ cuda/ cub/ thrust/";

/// Checks the directives of a source.
///
/// # Errors
/// An `#include` of anything but a CUDA header.
fn check_source(text: &str) -> Result<(), Reason> {
    let text = text
        .replace("\\\r\n", "")
        .replace("\\\n", "")
        .replace("??/\r\n", "")
        .replace("??/\n", "")
        .replace("??=", "#")
        .replace("%:", "#");
    let mut rest = text.as_str();
    while let Some(found) = rest.find('#') {
        rest = skip_blanks(&rest[found + 1..]);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        if !matches!(word, "include" | "include_next" | "import" | "embed") {
            continue;
        }
        let argument = skip_blanks(&rest[end..]);
        let name = argument.strip_prefix('<').and_then(|inner| inner.split_once('>'));
        let allowed = name.is_some_and(|(name, _)| {
            let whole = |known: &str| name == known;
            let inside = |known: &str| known.ends_with('/') && name.starts_with(known);
            !name.contains("..") && HEADERS.split(' ').any(|known| whole(known) || inside(known))
        });
        if word != "include" || !allowed {
            let line: String =
                argument.lines().next().unwrap_or_default().chars().take(60).collect();
            return Err(Reason::new(
                "source",
                format!(
                    "`#{word} {line}`: only CUDA's own headers may be included, by `#include <name>`"
                ),
            ));
        }
    }
    match text.contains("__has_include") || text.contains("__has_embed") {
        true => Err(Reason::new("source", "`__has_include` tests which files exist")),
        false => Ok(()),
    }
}

/// Skips blanks and comments.
fn skip_blanks(text: &str) -> &str {
    let mut text = text;
    loop {
        text = text.trim_start_matches([' ', '\t', '\u{b}', '\u{c}']);
        match text
            .strip_prefix("/*")
            .and_then(|inside| inside.find("*/").map(|end| &inside[end + 2..]))
        {
            Some(after) => text = after,
            None => return text,
        }
    }
}

/// Module features that a task may forbid: the kind of reason, the permission, and the names.
const USES: [(&str, Allowance, &[&str]); 3] = [
    (
        "timer",
        Allowance::Clock,
        &["%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"],
    ),
    ("printf", Allowance::Printf, &["vprintf"]),
    ("placement", Allowance::Placement, &["%smid", "%nsmid", "%warpid", "%nwarpid", "%gridid"]),
];

/// Checks the features that a module uses; permitted uses become notes.
///
/// # Errors
/// Uses of clocks, prints and placement.
fn check_module(module: &Module, task: &Task, notes: &mut Vec<String>) -> Result<(), Reason> {
    let text = module.to_string();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let words: std::collections::BTreeSet<&str> = text
        .split(|c: char| !is_word(c))
        .filter(|word| word.starts_with('%') || *word == "vprintf")
        .collect();
    let counters = words.iter().filter(|word| word.starts_with("%pm"));
    let counters: Vec<&str> = counters
        .filter(|word| word[3..].starts_with(|c: char| c.is_ascii_digit()))
        .copied()
        .collect();
    if let Some(counter) = counters.first() {
        return Err(Reason::new("timer", format!("it reads the performance counter `{counter}`")));
    }
    for (kind, allowance, names) in USES {
        let Some(used) = names.iter().find(|name| words.contains(*name)) else { continue };
        let what = match kind {
            "timer" => format!("it reads `{used}`: a result must not depend on time"),
            "printf" => "it calls `printf`".to_owned(),
            _ => format!("it reads `{used}`: a result must not depend on the placement of threads"),
        };
        match task.allows(allowance) {
            true => notes.push(what),
            false => return Err(Reason::new(kind, what)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_not_included_however_it_is_written() {
        for text in [
            "#include \"reference.cu\"",
            "#include </etc/passwd>",
            "  #  include \"x\"",
            "#inc\\\nlude \"x\"",
            "??=include \"x\"",
            "%:include \"x\"",
            "#/* */include/**/\"x\"",
            "#define X \"y\"\n#include X",
            "#include <../../x>",
            "#include <cuda/../../x>",
            "#include_next <math.h>",
            "#embed \"x\"",
            "#if __has_include(\"/x\")\n#endif",
            "const char* s = R\"(/*)\";\n#include \"x\"\n/**/",
        ] {
            assert_eq!(check_source(text).expect_err(text).kind, "source");
        }
        for text in [
            "#include <mma.h>",
            "# include <cuda_fp16.h>",
            "#define A 1\nint a = 5 % 3;",
            "#include <cooperative_groups/reduce.h>",
        ] {
            assert_eq!(check_source(text), Ok(()), "{text}");
        }
    }
}

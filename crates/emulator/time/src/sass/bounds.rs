//! The largest number of registers that a kernel's directives allow. ptxas keeps to it, so an estimate must, too.

/// Registers of a multiprocessor, on every architecture that the model knows.
const REGISTERS: u32 = 65_536;
/// ptxas allocates registers in steps.
const STEP: u32 = 8;

/// The limit on the registers of a thread that `.maxnreg`, or `.minnctapersm` with the threads of a block, sets for a kernel of a
/// module.
pub fn register_limit(text: &str, kernel: &str) -> Option<u32> {
    let header = header(text, kernel)?;
    let words: Vec<&str> = header
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .collect();
    let numbers = |directive: &str| {
        let at = words.iter().position(|word| *word == directive)?;
        let of: Vec<u32> = words[at + 1..].iter().map_while(|word| word.parse().ok()).collect();
        (!of.is_empty()).then_some(of)
    };
    if let Some(most) = numbers(".maxnreg") {
        return most.first().copied();
    }
    let blocks = numbers(".minnctapersm")?[0];
    let threads: u32 = numbers(".reqntid").or_else(|| numbers(".maxntid"))?.iter().product();
    let all = threads.next_multiple_of(32).saturating_mul(blocks).max(1);
    Some(REGISTERS / all / STEP * STEP)
}

/// The text between a kernel's parameters and its body.
fn header<'t>(text: &'t str, kernel: &str) -> Option<&'t str> {
    let starts = text.match_indices(".entry").map(|(at, found)| &text[at + found.len()..]);
    let of_kernel = starts.filter_map(|rest| {
        let rest = rest.trim_start().strip_prefix(kernel)?;
        let is_end = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$');
        is_end.then_some(rest)
    });
    let rest = of_kernel.take(1).next()?;
    let head = rest.split_once('{')?.0;
    Some(head.rsplit_once(')').map_or(head, |(_, directives)| directives))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_limit_the_registers() {
        let text = ".version 8.0\n.entry a_b(.param .u64 p)\n.maxntid 256, 1, 1\n{\n}\n\
                    .visible .entry a(.param .align 8 .b8 q[16])\n.maxntid 256, 2, 1\n.minnctapersm 2\n{\n}\n\
                    .entry c()\n.maxnreg 40\n{ .reg .b32 r; }\n.entry d() { ret; }\n";
        assert_eq!(register_limit(text, "a"), Some(64));
        assert_eq!(register_limit(text, "a_b"), None);
        assert_eq!(register_limit(text, "c"), Some(40));
        assert_eq!([register_limit(text, "d"), register_limit(text, "e")], [None, None]);
    }
}

//! nvdisasm's listing of a kernel (`nvdisasm -gp -c`): its machine instructions with their PTX lines and the depth of loops.
//!
//! ptxas unrolls a loop into a main loop with several copies of the body and a remainder loop with fewer. Nearly all
//! iterations run in the main loop, so the listing does not have the remainder loop.

use crate::machine::operation::Unit;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A machine instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineInstruction {
    /// Where it executes; [`Unit::Nop`] for those that only issue.
    pub unit: Unit,
    /// Whether the trace has it: accesses, barriers, shuffles, matrix products.
    pub traced: bool,
    /// Number of loops around it.
    pub depth: u32,
    /// Its place in the order of addresses.
    pub place: u32,
}

/// The machine code of a kernel.
#[derive(Clone, Debug, Default)]
pub struct MachineCode {
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// The largest number of them that its directives allow.
    pub register_limit: Option<u32>,
    /// Its instructions, if nvdisasm listed them.
    pub listing: Option<Arc<Listing>>,
}

/// The instructions of a kernel by PTX line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// By PTX line, in the order of their addresses.
    pub by_line: HashMap<u32, Vec<MachineInstruction>>,
    /// PTX lines with a call.
    pub calls: Vec<u32>,
    /// The PTX lines of the kernel's instructions, in the order of the text.
    pub instructions: Vec<u32>,
}

/// The lines of a kernel's instructions in PTX text with one instruction a line.
pub fn instruction_lines(text: &str, kernel: &str) -> Vec<u32> {
    let mut lines = (1..).zip(text.lines().map(str::trim));
    let head = format!(".entry {kernel}(");
    let is_head = |line: &str| line.replace(" (", "(").contains(&head);
    if !lines.any(|(_, line)| is_head(line)) {
        return Vec::new();
    }
    let body = lines.skip_while(|(_, line)| *line != "{").take_while(|(_, line)| *line != "}");
    let is_instruction = |line: &str| line.ends_with(';') && !line.starts_with(['.', '/']);
    body.filter(|(_, line)| is_instruction(line)).map(|(number, _)| number).collect()
}

/// The unit of a mnemonic, and whether the trace has it; `None` for padding.
fn unit(mnemonic: &str) -> Option<(Unit, bool)> {
    let (base, rest) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
    let wide = rest.split('.').any(|part| matches!(part, "F64" | "S64" | "U64"));
    let unit = match base {
        "NOP" => return None,
        "FFMA" | "FADD" | "FMUL" | "FFMA32I" | "FADD32I" | "FMUL32I" => Unit::Fma,
        "IMAD" => match rest {
            _ if rest.starts_with("WIDE") || rest.starts_with("HI") => Unit::ImadWide,
            _ => Unit::Imad,
        },
        "IADD3" | "VIADD" | "LEA" | "LOP3" | "SHF" | "MOV" | "SEL" | "FSEL" | "FMNMX" | "PRMT"
        | "IABS" | "IMNMX" | "VIMNMX" | "VIADDMNMX" | "VIMNMX3" | "FMNMX3" | "SGXT" | "BMSK"
        | "I2FP" | "F2FP" | "IADD" | "XMAD" | "FCHK" | "VABSDIFF" | "FSET" | "IDP" | "P2R"
        | "R2P" | "FSWZADD" => Unit::Alu,
        "ISETP" | "FSETP" | "PLOP3" | "VOTE" | "PSETP" => Unit::Predicate,
        "HADD2" | "HFMA2" | "HMUL2" | "HMNMX2" | "HSETP2" => Unit::Half,
        "DADD" | "DMUL" | "DFMA" | "DSETP" => Unit::Double,
        "F2I" | "I2F" | "F2F" | "FRND" | "I2I" if !wide => Unit::Convert,
        "MUFU" | "F2I" | "I2F" | "F2F" | "FRND" | "POPC" | "FLO" | "BREV" | "I2I" => Unit::Special,
        "SHFL" | "MATCH" | "REDUX" => return Some((Unit::Shuffle, true)),
        "BRA" | "BRX" | "JMP" | "EXIT" | "RET" | "CALL" | "BAR" | "HMMA" | "IMMA" | "DMMA"
        | "BMMA" | "HGMMA" | "IGMMA" | "QGMMA" | "SYNCS" | "MEMBAR" | "ERRBAR" | "CCTL"
        | "DEPBAR" | "LDGDEPBAR" | "WARPGROUP" | "MOVM" => return Some((Unit::Nop, true)),
        _ if ["LD", "ST", "ATOM", "RED", "UBLK", "UTMA", "SULD", "SUST", "TEX", "TLD"]
            .iter()
            .any(|start| base.starts_with(start)) =>
        {
            // A load from constant memory only occupies an issue slot.
            let constant = base == "LDC";
            return Some((if constant { Unit::Nop } else { Unit::Memory }, !constant));
        }
        _ => Unit::Nop,
    };
    Some((unit, false))
}

/// An instruction of the text.
struct Listed {
    address: u64,
    line: u32,
    unit: Unit,
    traced: bool,
}

impl Listing {
    /// The listing of a kernel in nvdisasm's output.
    pub fn parse(text: &str, kernel: &str) -> Listing {
        let (mut inside, mut line) = (false, 0);
        let mut all: Vec<Listed> = Vec::new();
        let mut labels: HashMap<&str, u64> = HashMap::new();
        let mut waiting: Vec<&str> = Vec::new();
        let mut branches: Vec<(u64, &str, bool)> = Vec::new();
        let mut found = Listing::default();
        for row in text.lines() {
            let row = row.trim();
            if let Some(section) = row.strip_prefix(".section") {
                inside = section.trim().strip_prefix(".text.").is_some_and(|rest| {
                    rest.strip_prefix(kernel).is_some_and(|rest| rest.starts_with(','))
                });
                continue;
            }
            if !inside {
                continue;
            }
            if let Some(place) = row.strip_prefix("//##") {
                // Inlined lines follow in the same comment; the first one is the instruction's.
                let number = place
                    .split("line ")
                    .nth(1)
                    .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
                line = number.and_then(|number| number.parse().ok()).unwrap_or(line);
                continue;
            }
            if let Some(label) = row.strip_suffix(':') {
                // Slow paths and other functions follow the kernel.
                if label.contains("$__internal") {
                    break;
                }
                waiting.push(label);
                continue;
            }
            let Some((address, operation)) = instruction(row) else { continue };
            for label in waiting.drain(..) {
                labels.insert(label, address);
            }
            let mut words = operation.split_whitespace().filter(|word| !word.starts_with('@'));
            let Some(mnemonic) = words.next().map(|word| word.trim_end_matches(';')) else {
                continue;
            };
            if mnemonic.starts_with("BRA") {
                let target = operation.split("`(").nth(1).and_then(|rest| rest.split(')').next());
                branches.extend(target.map(|to| (address, to, mnemonic == "BRA.DIV")));
            }
            if mnemonic.starts_with("CALL") {
                found.calls.push(line);
            }
            if let Some((unit, traced)) = unit(mnemonic) {
                all.push(Listed { address, line, unit, traced });
            }
        }
        // Code for warps that diverge at a shuffle is at the end.
        let rare = branches.iter().filter(|(_, _, rare)| *rare);
        let end = rare.filter_map(|(_, to, _)| labels.get(to).copied()).min().unwrap_or(u64::MAX);
        let mut loops: HashMap<u64, u64> = HashMap::new();
        for (from, to, _) in &branches {
            let Some(&to) = labels.get(to) else { continue };
            // The padding at the end is a branch to itself.
            if to < *from && *from < end {
                let last = loops.entry(to).or_insert(*from);
                *last = (*last).max(*from);
            }
        }
        let loops = Loops(loops);
        let remainders = loops.remainders(&all);
        for (place, one) in (0..).zip(all.iter().filter(|one| one.address < end)) {
            if loops.around(one.address).any(|first| remainders.contains(&first)) {
                continue;
            }
            let around = loops.around(one.address);
            found.by_line.entry(one.line).or_default().push(MachineInstruction {
                unit: one.unit,
                traced: one.traced,
                depth: around.count() as u32,
                place,
            });
        }
        found
    }
}

/// The loops of a kernel: their first and last addresses.
struct Loops(HashMap<u64, u64>);

impl Loops {
    /// The first addresses of the loops around an address.
    fn around(&self, address: u64) -> impl Iterator<Item = u64> {
        let contains = move |(first, last): (&u64, &u64)| (*first..=*last).contains(&address);
        self.0.iter().filter(move |of| contains(*of)).map(|(first, _)| *first)
    }

    /// The remainder loops, by their first addresses: another loop at the same depth, inside the same loops, has at least
    /// twice as many copies of each of their accesses.
    fn remainders(&self, all: &[Listed]) -> HashSet<u64> {
        // The innermost loop starts last.
        let innermost = |address: u64| self.around(address).max();
        let mut accesses: HashMap<u64, HashMap<u32, usize>> = HashMap::new();
        for one in all.iter().filter(|one| one.traced && one.unit == Unit::Memory) {
            if let Some(first) = innermost(one.address) {
                *accesses.entry(first).or_default().entry(one.line).or_default() += 1;
            }
        }
        let outer = |first: u64| {
            let mut outer: Vec<u64> = self.around(first).filter(|&of| of != first).collect();
            outer.sort_unstable();
            outer
        };
        let is_remainder = |first: u64, counts: &HashMap<u32, usize>| {
            accesses.iter().any(|(&other, copies)| {
                other != first
                    && outer(other) == outer(first)
                    && counts.iter().all(|(line, count)| {
                        copies.get(line).is_some_and(|copies| *copies >= 2 * count)
                    })
            })
        };
        let found = accesses.iter().filter(|(first, counts)| is_remainder(**first, counts));
        found.map(|(first, _)| *first).collect()
    }
}

/// The address and the text of an instruction: `/*0010*/  @P0 EXIT ;`.
fn instruction(row: &str) -> Option<(u64, &str)> {
    let (address, rest) = row.strip_prefix("/*")?.split_once("*/")?;
    Some((u64::from_str_radix(address, 16).ok()?, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "\
\t.section\t.text.other,\"ax\",@progbits
\t//## File \".nv_debug_ptx_txt\", line 9
        /*0000*/                   FFMA R1, R1, R1, R1 ;
\t.section\t.text.scale,\"ax\",@progbits
.text.scale:
\t//## File \".nv_debug_ptx_txt\", line 12
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_1:
\t//## File \".nv_debug_ptx_txt\", line 14
        /*0010*/                   LDG.E R2, desc[UR4][R2.64] ;
        /*0020*/                   IMAD.WIDE R2, R0, 0x4, R2 ;
\t//## File \".nv_debug_ptx_txt\", line 15
        /*0030*/              @!P0 BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
.L_x_2:
        /*0050*/                   BRA `(.L_x_2);
        /*0060*/                   NOP;
$scale$__internal_0_$__cuda_sm20_div_f64_slowpath:
        /*0070*/                   DFMA R2, R2, R2, R2 ;
";

    #[test]
    fn a_remainder_loop_is_left_out() {
        let load = "        /*00X0*/                   LDG.E R2, desc[UR4][R2.64] ;\n";
        let body = |from: usize, copies: usize, label: &str| {
            let loads: String =
                (from..from + copies).map(|at| load.replace('X', &format!("{at:x}"))).collect();
            let branch =
                format!("        /*00{:x}0*/              @P0 BRA `({label}) ;\n", from + copies);
            format!("{label}:\n\t//## File \".nv_debug_ptx_txt\", line 14\n{loads}{branch}")
        };
        let text = format!(
            "\t.section\t.text.k,\"ax\",@progbits\n{}{}",
            body(1, 4, ".L_x_1"),
            body(6, 1, ".L_x_2"),
        );
        let found = Listing::parse(&text, "k");
        assert_eq!(found.by_line[&14].len(), 5, "four loads and their branch");
        let text = text.replacen(".L_x_1:", "", 1);
        assert_eq!(Listing::parse(&text, "k").by_line[&14].len(), 7, "only one loop");
    }

    #[test]
    fn each_instruction_of_the_text_has_its_line() {
        let text = ".version 8.0\n.visible .entry scale(\n .param .u64 p\n)\n{\n .reg .b32 %r<2>;\n\
                    .loc 1 2 3\n mov.u32 %r1, 0;\n$loop:\n add.u32 %r1, %r1, 1;\n}\n";
        assert_eq!(instruction_lines(text, "scale"), [8, 10]);
        assert!(instruction_lines(text, "other").is_empty());
    }

    #[test]
    fn instructions_have_their_line_and_depth_and_slow_paths_are_left_out() {
        let found = Listing::parse(SHOWN, "scale");
        let of = |line: u32| found.by_line.get(&line).cloned().unwrap_or_default();
        let one = |place, unit, traced, depth| MachineInstruction { unit, traced, depth, place };
        assert_eq!(of(9), []);
        assert_eq!(of(12), [one(0, Unit::Nop, false, 0)]);
        assert_eq!(of(14), [one(1, Unit::Memory, true, 1), one(2, Unit::ImadWide, false, 1)]);
        assert_eq!(of(15)[..2], [one(3, Unit::Nop, true, 1), one(4, Unit::Nop, true, 0)]);
        assert!(found.by_line.values().flatten().all(|one| one.unit != Unit::Double));
    }
}

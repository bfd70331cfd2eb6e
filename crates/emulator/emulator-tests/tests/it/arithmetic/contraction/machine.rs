//! Runs ptxas, and interprets one thread of its machine code: loads, arithmetic of f32 and f64, stores,
//! predicates and branches.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Offset of the kernel's parameters in the constant bank of `sm_90a`.
const PARAMETERS: usize = 0x210;
/// Maximum number of instructions per run.
const FUEL: usize = 100_000;

/// ptxas, and the disassembler in the same folder.
pub struct Compiler {
    ptxas: PathBuf,
    disassembler: PathBuf,
}

impl Compiler {
    /// The compiler that `PTXAS` names, or the one on the `PATH`, if its folder has a disassembler.
    pub fn installed() -> Option<Compiler> {
        let ptxas = std::env::var_os("PTXAS").map_or_else(|| PathBuf::from("ptxas"), PathBuf::from);
        let disassembler = ptxas.with_file_name("nvdisasm");
        let answers = |tool: &Path| Command::new(tool).arg("--version").output().is_ok();
        (answers(&ptxas) && answers(&disassembler)).then_some(Compiler { ptxas, disassembler })
    }

    /// Compiles a module; returns the machine code of each entry.
    pub fn compile(&self, text: &str) -> HashMap<String, Code> {
        let name = format!("lanework-contraction-{}", std::process::id());
        let ptx = std::env::temp_dir().join(format!("{name}.ptx"));
        let cubin = ptx.with_extension("cubin");
        std::fs::write(&ptx, text).expect("the folder for temporary files takes a file");
        let run = |tool: &Path, arguments: &[&Path]| {
            let output = Command::new(tool).args(arguments).output().expect("the tool starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let arch = Path::new("-arch=sm_90a");
        run(&self.ptxas, &[arch, &ptx, Path::new("-o"), &cubin]);
        let listing = run(&self.disassembler, &[Path::new("-c"), &cubin]);
        let _ = (std::fs::remove_file(&ptx), std::fs::remove_file(&cubin));
        let sections = listing.split(".section\t.text.").skip(1);
        sections
            .filter_map(|section| Some((section.split(',').next()?.to_owned(), Code::of(section))))
            .collect()
    }
}

/// Machine code of an entry.
pub struct Code {
    lines: Vec<String>,
    labels: HashMap<String, usize>,
}

impl Code {
    fn of(section: &str) -> Code {
        let (mut lines, mut labels) = (Vec::new(), HashMap::new());
        for line in section.lines().map(str::trim) {
            if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L")) {
                labels.insert(label.to_owned(), lines.len());
            } else if let Some((_, rest)) = line.strip_prefix("/*").and_then(|l| l.split_once("*/"))
                && let Some((instruction, _)) = rest.split_once(';')
            {
                lines.push(instruction.trim().replace(".reuse", ""));
            }
        }
        Code { lines, labels }
    }

    /// The instructions as text.
    pub fn listing(&self) -> String {
        self.lines.join("\n")
    }

    /// Runs one thread on memory of words at address 0; `Err` names an instruction that it does not
    /// support.
    pub fn run(&self, parameters: &[u8], memory: &mut [u32]) -> Result<(), String> {
        let mut thread = Thread { words: [0; 256], truths: [false; 16], parameters, memory };
        let mut pc = 0;
        for _ in 0..FUEL {
            let line = self.lines.get(pc).ok_or("the end was passed")?;
            pc += 1;
            let (guard, line) = match line.strip_prefix('@') {
                Some(rest) => rest.split_once(' ').ok_or("a guard alone")?,
                None => ("PT", line.as_str()),
            };
            if !thread.truth(guard)? {
                continue;
            }
            let (name, operands) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let operands: Vec<&str> = operands.split(", ").map(str::trim).collect();
            match name.split('.').next().unwrap_or_default() {
                "EXIT" => return Ok(()),
                "BRA" => {
                    let label =
                        operands.last().and_then(|o| o.strip_prefix("`(")?.strip_suffix(')'));
                    let at = label.and_then(|label| self.labels.get(label));
                    pc = *at.ok_or_else(|| format!("a branch: {line}"))?;
                }
                _ => thread.step(name, &operands).map_err(|why| format!("{why}: {line}"))?,
            }
        }
        Err("it does not end".to_owned())
    }
}

struct Thread<'a> {
    /// Registers; uniform registers start at 128.
    words: [u32; 256],
    /// Predicates; uniform predicates start at 8. The last of each kind is always true.
    truths: [bool; 16],
    parameters: &'a [u8],
    memory: &'a mut [u32],
}

/// Index of a register in `words`; `None` for the register that is always zero.
fn register(name: &str) -> Result<Option<usize>, String> {
    let (digits, from) = match name.strip_prefix("UR") {
        Some(digits) => (digits, 128),
        None => (name.strip_prefix('R').ok_or("an operand")?, 0),
    };
    let number: Option<usize> = digits.split('.').next().and_then(|digits| digits.parse().ok());
    match number {
        Some(number) if number < 128 => Ok(Some(from + number)),
        _ if digits.starts_with('Z') => Ok(None),
        _ => Err(format!("the operand {name}")),
    }
}

impl Thread<'_> {
    fn truth(&self, name: &str) -> Result<bool, String> {
        let (negated, name) = match name.strip_prefix('!') {
            Some(name) => (true, name),
            None => (false, name),
        };
        let value = match name {
            "PT" | "UPT" => true,
            _ => self.truths[predicate(name)?],
        };
        Ok(value != negated)
    }

    fn constant(&self, at: usize) -> u32 {
        let byte = |i| at.checked_sub(PARAMETERS).and_then(|at| self.parameters.get(at + i));
        u32::from_le_bytes([0, 1, 2, 3].map(|i| byte(i).copied().unwrap_or_default()))
    }

    /// The low and high 32-bit words of an operand.
    fn bits(&self, operand: &str) -> Result<[u32; 2], String> {
        if let Some(place) = operand.strip_prefix("c[0x0][0x") {
            let at = usize::from_str_radix(place.trim_end_matches(']'), 16);
            let at = at.map_err(|e| e.to_string())?;
            return Ok([self.constant(at), self.constant(at + 4)]);
        }
        if let Some(digits) = operand.strip_prefix("0x") {
            return Ok([u32::from_str_radix(digits, 16).map_err(|e| e.to_string())?, 0]);
        }
        Ok(match register(operand)? {
            Some(r) => [self.words[r], self.words.get(r + 1).copied().unwrap_or_default()],
            None => [0, 0],
        })
    }

    /// Value of a float operand, including its sign; f32 is converted to f64.
    fn float(&self, operand: &str, wide: bool) -> Result<f64, String> {
        let number = operand.trim_start_matches('+').replace("QNAN", "NAN").replace(' ', "");
        if let Ok(value) = number.parse::<f64>() {
            return Ok(value);
        }
        if let Some(positive) = operand.strip_prefix('-') {
            return Ok(-self.float(positive, wide)?);
        }
        if let Some(inner) = operand.strip_prefix('|') {
            return Ok(self.float(inner.trim_end_matches('|'), wide)?.abs());
        }
        let [low, high] = self.bits(operand)?;
        Ok(match wide {
            true => f64::from_bits(u64::from(high) << 32 | u64::from(low)),
            false => f64::from(f32::from_bits(low)),
        })
    }

    fn set(&mut self, to: &str, words: &[u32]) -> Result<(), String> {
        if let Some(r) = register(to)? {
            self.words[r..r + words.len()].copy_from_slice(words);
        }
        Ok(())
    }

    /// Index of the word at an address in brackets.
    fn place(&self, operand: &str) -> Result<usize, String> {
        let inside = operand.rsplit('[').next().unwrap_or_default().trim_end_matches(']');
        let (base, offset) = inside.split_once('+').unwrap_or((inside, "0x0"));
        let offset = u32::from_str_radix(offset.trim_start_matches("0x"), 16);
        Ok((self.bits(base)?[0] + offset.map_err(|e| e.to_string())?) as usize / 4)
    }

    fn step(&mut self, name: &str, o: &[&str]) -> Result<(), String> {
        let has = |part: &str| name.split('.').any(|p| p == part);
        let wide = name.starts_with('D') || has("64");
        match name.split('.').next().unwrap_or_default() {
            "NOP" | "BSSY" | "BSYNC" | "WARPSYNC" | "MEMBAR" | "ERRBAR" | "CGAERRBAR" | "CCTL" => {
                Ok(())
            }
            "LDC" | "ULDC" | "MOV" | "UMOV" => {
                let bits = self.bits(o[1])?;
                self.set(o[0], &bits[..1 + usize::from(wide)])
            }
            "CS2R" => self.set(o[0], &[0, 0]),
            "IMAD" if has("MOV") || o[1..3] == ["RZ", "RZ"] => {
                let bits = self.bits(o[3])?;
                self.set(o[0], &bits[..1])
            }
            // ptxas loads constants as two f16.
            "HFMA2" if o[1..3] == ["-RZ", "RZ"] => {
                let half =
                    |text: &str| half::f16::from_f64(self.float(text, true).unwrap_or(f64::NAN));
                let (high, low) = (half(o[3]).to_bits(), half(o[4]).to_bits());
                self.set(o[0], &[u32::from(high) << 16 | u32::from(low)])
            }
            "LDG" => {
                let at = self.place(o[1])?;
                let words = self.memory[at..at + 1 + usize::from(wide)].to_vec();
                self.set(o[0], &words)
            }
            "STG" => {
                let (at, words) = (self.place(o[0])?, self.bits(o[1])?);
                self.memory[at] = words[0];
                if wide {
                    self.memory[at + 1] = words[1];
                }
                Ok(())
            }
            "ISETP" | "UISETP" => {
                let (a, b) = (self.bits(o[2])?[0], self.bits(o[3])?[0]);
                let unsigned = has("U32");
                let order = if unsigned { a.cmp(&b) } else { (a as i32).cmp(&(b as i32)) };
                let holds = match name.split('.').nth(1) {
                    Some("NE") => order.is_ne(),
                    Some("EQ") => order.is_eq(),
                    Some("GT") => order.is_gt(),
                    Some("GE") => order.is_ge(),
                    Some("LT") => order.is_lt(),
                    Some("LE") => order.is_le(),
                    _ => return Err("a comparison".to_owned()),
                };
                let and = self.truth(o[4])? && has("AND");
                self.truths[predicate(o[0])?] = holds && and;
                Ok(())
            }
            "FSEL" | "SEL" => {
                let chosen = if self.truth(o[3])? { o[1] } else { o[2] };
                let bits = self.bits(chosen)?;
                self.set(o[0], &bits[..1])
            }
            "FMUL" | "FADD" | "FFMA" | "DMUL" | "DADD" | "DFMA" => self.arithmetic(name, o, wide),
            _ => Err("an instruction".to_owned()),
        }
    }

    fn arithmetic(&mut self, name: &str, o: &[&str], wide: bool) -> Result<(), String> {
        let modifiers: Vec<&str> = name.split('.').skip(1).collect();
        let ftz = modifiers.contains(&"FTZ");
        if modifiers.iter().any(|m| *m != "FTZ") {
            return Err("a modifier".to_owned());
        }
        let flush = |x: f64| {
            let small = ftz && x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE);
            if small { 0f64.copysign(x) } else { x }
        };
        let operands: Result<Vec<f64>, String> =
            o[1..].iter().map(|o| self.float(o, wide).map(flush)).collect();
        let operands = operands?;
        let (x, y, z) = (operands[0], operands[1], operands.get(2).copied().unwrap_or_default());
        if wide {
            let result = match name {
                "DMUL" => x * y,
                "DADD" => x + y,
                _ => x.mul_add(y, z),
            };
            let bits = if result.is_nan() { 0xfff8 << 48 } else { result.to_bits() };
            return self.set(o[0], &[bits as u32, (bits >> 32) as u32]);
        }
        let (a, b, c) = (x as f32, y as f32, z as f32);
        let result = match &name[..4] {
            "FMUL" => a * b,
            "FADD" => a + b,
            _ => a.mul_add(b, c),
        };
        let result = flush(f64::from(result)) as f32;
        self.set(o[0], &[if result.is_nan() { 0x7fff_ffff } else { result.to_bits() }])
    }
}

fn predicate(name: &str) -> Result<usize, String> {
    let (digits, from) = match name.strip_prefix("UP") {
        Some(digits) => (digits, 8),
        None => (name.strip_prefix('P').ok_or("a predicate")?, 0),
    };
    match digits.parse::<usize>() {
        Ok(number) if number < 7 => Ok(from + number),
        _ if digits == "T" => Ok(from + 7),
        _ => Err(format!("the predicate {name}")),
    }
}

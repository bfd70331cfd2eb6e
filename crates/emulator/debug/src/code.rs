//! A kernel's code for the debugger: the source line, the call depth and the function of each instruction.

use lanework_emulator::{Origin, SourceLocation};
use lanework_ptx::{Instruction, Item, Module, Statement};
use lanework_ptx_ir::kernel::Kernel;
use std::collections::HashMap;

/// A line of source, or of PTX if the module has no line information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeLine {
    /// Its file, by its number in [`CodeMap::files`].
    pub file: u32,
    /// Its number, from 1.
    pub line: u32,
}

/// An instruction's place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodePlace {
    /// Its line.
    pub line: CodeLine,
    /// The number of calls around it.
    pub depth: u32,
}

/// One call around an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFrame {
    /// The function; empty if the compiler inlined it and left no name.
    pub function: String,
    /// The line that it executes.
    pub line: Option<CodeLine>,
}

/// The functions that a compiler inlined, by the positions of their code.
#[derive(Clone, Debug, Default)]
pub struct InlinedNames(HashMap<(String, u32, u32), String>);

impl InlinedNames {
    /// The functions that the line table of a module names.
    pub fn of_module(module: &Module) -> InlinedNames {
        let strings = module.items.iter().filter_map(|item| match item {
            Item::Directive(words) => words.trim_start().strip_prefix(".section"),
            _ => None,
        });
        let strings: Vec<&str> =
            strings.filter(|words| words.trim_start().starts_with(".debug_str")).collect();
        let mut found = InlinedNames::default();
        let functions = module.items.iter().filter_map(|item| match item {
            Item::Function(function) => function.body.as_ref(),
            _ => None,
        });
        for body in functions {
            found.add(module, &strings, body);
        }
        found
    }

    fn add(&mut self, module: &Module, strings: &[&str], body: &[Statement]) {
        for statement in body {
            let (place, words) = match statement {
                Statement::Instruction(Instruction { location: Some(at), .. }) => {
                    ([at.file, at.line, at.column], at.inlined.as_deref().unwrap_or_default())
                }
                Statement::Block(inner) => {
                    self.add(module, strings, inner);
                    continue;
                }
                Statement::Directive(words) if words.starts_with(".loc") => {
                    let (place, rest) = words[4..].split_once(',').unwrap_or((&words[4..], ""));
                    let mut numbers =
                        place.split_whitespace().map(|word| word.parse().unwrap_or(0));
                    ([(); 3].map(|()| numbers.next().unwrap_or(0)), rest)
                }
                _ => continue,
            };
            let label = words.split_once("function_name").map(|(_, rest)| rest.trim_start());
            let label = label.and_then(|rest| rest.split([' ', ',']).next());
            let Some(label) = label.filter(|label| !label.is_empty()) else { continue };
            let [number, line, column] = place;
            let file = (number as usize).checked_sub(1).and_then(|at| module.files.get(at));
            let key = (file.cloned().unwrap_or_default(), line, column);
            self.0.entry(key).or_insert_with(|| text_of(strings, label));
        }
    }

    /// The function at a position.
    fn of(&self, at: &SourceLocation) -> Option<&str> {
        let name = self.0.get(&(at.file.clone(), at.line, at.column));
        name.map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// The text of a label in the section of strings; the label itself, if no section defines it and it is not a compiler's
/// own label.
fn text_of(sections: &[&str], label: &str) -> String {
    let (label, offset) = label.split_once('+').unwrap_or((label, "0"));
    let starts = |section: &&str| {
        let at = section.match_indices(label).map(|(at, _)| &section[at + label.len()..]);
        at.map(str::trim_start).find_map(|rest| rest.strip_prefix(':')).map(str::to_owned)
    };
    let Some(rest) = sections.iter().find_map(starts) else {
        return if label.contains('$') { String::new() } else { label.to_owned() };
    };
    let numbers =
        rest.split([' ', ',', '\t', '\n']).filter_map(|word| word.trim().parse::<u8>().ok());
    let bytes: Vec<u8> =
        numbers.skip(offset.trim().parse().unwrap_or(0)).take_while(|byte| *byte != 0).collect();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The source positions of a kernel's instructions.
pub struct CodeMap {
    /// The kernel.
    kernel: String,
    /// Whether the module has line information.
    has_lines: bool,
    /// The files, as the module names them. The last one is the PTX text.
    files: Vec<String>,
    places: Vec<Option<CodePlace>>,
    callers: Vec<Vec<CodeLine>>,
    names: Vec<String>,
    /// The inlined functions: origins and name.
    functions: Vec<(std::ops::Range<u32>, String)>,
    /// The names that the line table gives to the functions of an instruction and of the calls around it, innermost first.
    inlined: Vec<Vec<Option<String>>>,
}

impl CodeMap {
    /// The positions of a kernel. `text` is the name of its PTX text.
    pub fn new(kernel: &Kernel, text: &str, inlined: &InlinedNames) -> CodeMap {
        let has_lines = kernel.origins.iter().any(|origin| origin.location.is_some());
        let mut files: Vec<String> = Vec::new();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut number = |name: &str| {
            *numbers.entry(name.to_owned()).or_insert_with(|| {
                files.push(name.to_owned());
                files.len() as u32 - 1
            })
        };
        let (mut places, mut callers) = (Vec::new(), Vec::new());
        let mut inlined_names = Vec::new();
        for origin in &kernel.origins {
            let Origin { location, text_line, callers: around, .. } = origin;
            let line = match location {
                Some(location) => {
                    Some(CodeLine { file: number(&location.file), line: location.line })
                }
                None if !has_lines && *text_line > 0 => {
                    Some(CodeLine { file: number(text), line: *text_line })
                }
                // Treat a function of a built-in header as part of the line that calls it.
                None => around.first().map(|at| CodeLine { file: number(&at.file), line: at.line }),
            };
            let hidden = has_lines && location.is_none();
            let around = if hidden { around.get(1..).unwrap_or_default() } else { &around[..] };
            let own = location.iter().chain(around);
            // Triton's line table calls each inlined function by the kernel's name.
            let named = |at| inlined.of(at).filter(|name| *name != kernel.name).map(str::to_owned);
            inlined_names.push(own.map(named).collect());
            let depth = around.len() as u32;
            places.push(line.map(|line| CodePlace { line, depth }));
            let outer = around.iter();
            let outer = outer.map(|at| CodeLine { file: number(&at.file), line: at.line });
            callers.push(outer.collect());
        }
        CodeMap {
            kernel: kernel.name.clone(),
            has_lines,
            files,
            places,
            callers,
            names: kernel.origins.iter().map(|origin| origin.name.clone()).collect(),
            functions: kernel
                .functions
                .iter()
                .map(|f| (f.origins.clone(), f.name.clone()))
                .collect(),
            inlined: inlined_names,
        }
    }

    /// The name of a file.
    pub fn file(&self, number: u32) -> &str {
        self.files.get(number as usize).map_or("", String::as_str)
    }

    /// The files.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The place of an instruction; `None` if the compiler gave it no line.
    pub fn place(&self, instruction: u32) -> Option<CodePlace> {
        self.places.get(instruction as usize).copied().flatten()
    }

    /// The place of an instruction, or of the next one that has a line.
    pub fn next_place(&self, instruction: u32) -> Option<CodePlace> {
        self.places.get(instruction as usize..)?.iter().flatten().next().copied()
    }

    /// Whether two instructions are in the same call.
    pub fn is_same_call(&self, one: u32, other: u32) -> bool {
        self.callers.get(one as usize) == self.callers.get(other as usize)
    }

    /// Whether a call around an instruction was made from this line and depth.
    pub fn calls_from(&self, instruction: u32, place: CodePlace) -> bool {
        let around = self.callers.get(instruction as usize);
        let outer = around.and_then(|all| all.len().checked_sub(place.depth as usize + 1));
        outer.and_then(|at| around?.get(at)) == Some(&place.line)
    }

    /// The PTX name of an instruction.
    pub fn name(&self, instruction: u32) -> &str {
        self.names.get(instruction as usize).map_or("", String::as_str)
    }

    /// Whether the PTX name of an instruction starts so.
    pub fn has_instruction(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.starts_with(name))
    }

    /// `file:line` of an instruction, or its number.
    pub fn text(&self, instruction: u32) -> String {
        match self.place(instruction) {
            Some(place) => self.line_text(place.line),
            None => format!("instruction {instruction} ({})", self.name(instruction)),
        }
    }

    /// `file:line`.
    pub fn line_text(&self, line: CodeLine) -> String {
        format!("{}:{}", self.file(line.file), line.line)
    }

    /// The function that contains an instruction: an inlined one, or the kernel.
    pub fn function(&self, instruction: u32) -> &str {
        match self.depth_of_function(instruction).checked_sub(1) {
            Some(index) => self.around(instruction).nth(index).map_or("", |(_, name)| name),
            None => &self.kernel,
        }
    }

    /// The inlined functions around an instruction, outermost first.
    fn around(&self, instruction: u32) -> impl Iterator<Item = &(std::ops::Range<u32>, String)> {
        self.functions.iter().filter(move |(range, _)| range.contains(&instruction))
    }

    /// The number of inlined functions around an instruction. Functions of built-in headers at its place do not count.
    fn depth_of_function(&self, instruction: u32) -> usize {
        let calls = self.callers.get(instruction as usize).map_or(0, Vec::len);
        let inlined = self.around(instruction).count();
        // Without line information, calls have no places.
        if self.has_lines { calls.min(inlined) } else { inlined }
    }

    /// The calls around an instruction, innermost first; the last is the kernel.
    pub fn frames(&self, instruction: u32) -> Vec<CallFrame> {
        let own = self.place(instruction).map(|place| place.line);
        let outer = self.callers.get(instruction as usize).into_iter().flatten();
        let lines: Vec<Option<CodeLine>> =
            std::iter::once(own).chain(outer.map(|line| Some(*line))).collect();
        let around = self.around(instruction).take(self.depth_of_function(instruction));
        let mut names: Vec<String> = around.map(|(_, name)| name.clone()).collect();
        names.reverse();
        // Calls that the compiler itself inlined are innermost and have no names.
        while names.len() + 1 < lines.len() {
            names.insert(0, String::new());
        }
        names.truncate(lines.len().saturating_sub(1));
        let known = self.inlined.get(instruction as usize).into_iter().flatten();
        for (name, known) in names.iter_mut().zip(known).filter(|(name, _)| name.is_empty()) {
            name.clone_from(known.as_ref().unwrap_or(&String::new()));
        }
        names.push(self.kernel.clone());
        let frames = names.into_iter().zip(lines);
        frames.map(|(function, line)| CallFrame { function, line }).collect()
    }

    /// The name of the innermost function at an instruction, also of one that the compiler inlined, if it is known.
    pub fn shown_function(&self, instruction: u32) -> String {
        let first = self.frames(instruction).into_iter().next().map(|frame| frame.function);
        let first = first.filter(|name| !name.is_empty());
        first.unwrap_or_else(|| self.function(instruction).to_owned())
    }

    /// An instruction of a call around an instruction: the last one before it that executes the line of the call.
    /// Calls are numbered from the innermost one, 0, which is the instruction itself.
    pub fn frame_instruction(&self, instruction: u32, frame: usize) -> u32 {
        let Some(own) = self.callers.get(instruction as usize).filter(|_| frame > 0) else {
            return instruction;
        };
        let (Some(line), Some(outer)) = (own.get(frame - 1), own.get(frame..)) else {
            return instruction;
        };
        let is_caller = |at: &u32| self.callers[*at as usize] == outer;
        let on_line = |at: &u32| is_caller(at) && self.place(*at).is_some_and(|p| p.line == *line);
        let before = || (0..instruction).rev();
        let after = || instruction..self.places.len() as u32;
        let found = before().find(on_line).or_else(|| after().find(on_line));
        let found = found.or_else(|| before().find(is_caller)).or_else(|| after().find(is_caller));
        found.unwrap_or(instruction)
    }

    /// The file whose name ends with the given one: `k.cu` finds `/src/k.cu`.
    ///
    /// # Errors
    /// If no file or several files match.
    pub fn find_file(&self, name: &str) -> Result<u32, String> {
        let ends = |file: &String| {
            file == name
                || file.strip_suffix(name).is_some_and(|before| before.ends_with(['/', '\\']))
        };
        let found: Vec<u32> =
            (0..self.files.len() as u32).filter(|at| ends(&self.files[*at as usize])).collect();
        match found[..] {
            [only] => Ok(only),
            [] => Err(format!(
                "no code of the kernel comes from `{name}`; its files are {}",
                self.files.join(", ")
            )),
            _ => Err(format!("several files are called `{name}`; give more of the path")),
        }
    }

    /// The first line with code at or after `line`; `None` if no later line has code.
    pub fn line_with_code(&self, wanted: CodeLine) -> Option<CodeLine> {
        let lines = self.places.iter().flatten().map(|place| place.line);
        lines.filter(|line| line.file == wanted.file && line.line >= wanted.line).min()
    }

    /// The file of the kernel's first instruction with a line.
    pub fn main_file(&self) -> Option<u32> {
        self.places.iter().flatten().next().map(|place| place.line.file)
    }

    /// The first line of a function: the kernel, or an inlined one, by its whole name or its C++ name.
    pub fn first_line(&self, function: &str) -> Option<CodeLine> {
        let named = |name: &str| {
            name == function
                || lanework_ptx_ir::cpp_names::CppName::of(name).is_some_and(|own| own.is(function))
        };
        let inside = match self.functions.iter().find(|(_, name)| named(name)) {
            Some((range, _)) => range.clone(),
            None if named(&self.kernel) => 0..self.places.len() as u32,
            None => return None,
        };
        inside.filter_map(|at| self.place(at)).map(|place| place.line).next()
    }
}

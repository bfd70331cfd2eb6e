//! A session on a launch of CUDA C++, keys for it, and its screen.

use crossterm::event::{KeyCode, KeyEvent};
use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use lanework_debug::commands::Console;
use lanework_debug::data::cuda_cpp;
use lanework_debug::session::{Session, SessionOptions};
use lanework_debug::timeline::DebugTarget;
use lanework_debug_tui::draw::draw;
use lanework_debug_tui::state::{App, KeyEffect};
use lanework_debug_tui::view::ScreenView;
use lanework_emulator::sanitize::Checks;
use lanework_emulator::{Emulator, LaunchConfig, Options};
use lanework_ptx::Module;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// A launch of the only kernel of a source.
pub struct TestLaunch {
    /// The file's name and text.
    pub source: (&'static str, String),
    /// Blocks and threads.
    pub shape: (u32, u32),
    /// The arguments: arrays of words, then numbers.
    pub arrays: Vec<Vec<u32>>,
    pub numbers: Vec<u32>,
}

/// The interface on a session.
pub struct Stage<'c, 's, 'a> {
    pub app: App,
    pub console: &'c mut Console<'s, 'a>,
    pub size: (u16, u16),
}

impl Stage<'_, '_, '_> {
    /// Presses a key.
    pub fn press(&mut self, code: KeyCode) -> KeyEffect {
        // As in the real loop, each key follows a frame.
        self.screen();
        self.app.press(KeyEvent::from(code), self.console)
    }

    /// Presses keys: letters, and names of other keys, separated by blanks.
    pub fn keys(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let code = match key {
                "enter" => KeyCode::Enter,
                "esc" => KeyCode::Esc,
                "tab" => KeyCode::Tab,
                "up" => KeyCode::Up,
                "down" => KeyCode::Down,
                "left" => KeyCode::Left,
                "right" => KeyCode::Right,
                "home" => KeyCode::Home,
                "end" => KeyCode::End,
                letter => KeyCode::Char(letter.chars().next().expect("a letter")),
            };
            assert_eq!(self.press(code), KeyEffect::Stay, "{key} of {keys}");
        }
    }

    /// Types a command at the prompt.
    pub fn command(&mut self, line: &str) {
        self.keys(":");
        for letter in line.chars() {
            self.press(KeyCode::Char(letter));
        }
        self.keys("enter");
    }

    /// The screen.
    pub fn screen(&mut self) -> Buffer {
        self.app.resize(self.size.0, self.size.1);
        let view = ScreenView::of(&mut self.app, self.console);
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        draw(&view, &mut buffer);
        buffer
    }

    /// The screen as text.
    pub fn text(&mut self) -> String {
        text(&self.screen())
    }
}

/// A screen as text, without its styles.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let (mut row, mut x) = (String::new(), 0);
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += symbol.width().max(1) as u16;
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

impl TestLaunch {
    /// Calls `run` with the interface at the start of the launch.
    pub fn show<R>(
        &self,
        app: App,
        size: (u16, u16),
        run: impl FnOnce(&mut Stage<'_, '_, '_>) -> R,
    ) -> R {
        let (name, source) = &self.source;
        let options = CompileOptions { debug: true, ..CompileOptions::default() };
        let compiled = compile(source, name, &options, &mut NoFiles);
        let compiled = compiled.unwrap_or_else(|failure| panic!("{}", failure.text));
        let module = Module::parse(&compiled.text).expect("PTX");
        let checks = Some(Checks::default());
        let emulator = Emulator::new(Options { checks, ..Options::default() });
        let program = emulator.load(&module).expect("loads");
        let entry = module.entries().next().expect("a kernel").name.clone();
        let names = cuda_cpp::names(&compiled.names, &entry);
        let mut arguments: Vec<Vec<u8>> = Vec::new();
        for (index, array) in self.arrays.iter().enumerate() {
            let bytes: Vec<u8> = array.iter().flat_map(|word| word.to_le_bytes()).collect();
            let address = emulator.allocate(bytes.len() as u64, &format!("array {index}"));
            let address = address.expect("memory");
            emulator.write(address, &bytes).expect("memory");
            arguments.push(address.to_le_bytes().to_vec());
        }
        arguments.extend(self.numbers.iter().map(|number| number.to_le_bytes().to_vec()));
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let (grid, block) = self.shape;
        let config = LaunchConfig::new(&entry, [grid, 1, 1], [block, 1, 1]);
        let (emulator, program) = (&emulator, &program);
        let target = DebugTarget { emulator, program, config: &config, arguments: &arguments };
        let session = Session::new(target, &module, names, SessionOptions::default());
        let mut session = session.expect("records");
        let sources = |_: &str| Some(source.clone());
        let mut console = Console::new(&mut session, &sources);
        let mut stage = Stage { app, console: &mut console, size };
        stage.app.arrive(stage.console);
        run(&mut stage)
    }
}

/// The interface in English, without colors.
pub fn plain() -> App {
    App::new(str::to_owned, false)
}

/// The source of a kernel of the documentation, which numbers its lines.
fn documented(kernel: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src/en/debug.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let mut blocks = page.split("```c++\n").skip(1);
    let block = blocks.find(|block| block.starts_with(&format!("1  __global__ void {kernel}(")));
    let block = block.expect("the kernel is on the page").split("```").next();
    let lines = block.unwrap_or_default().lines();
    lines.map(|line| format!("{}\n", line.get(3..).unwrap_or_default())).collect()
}

/// The race of the documentation: a barrier is missing.
pub fn race() -> TestLaunch {
    TestLaunch {
        source: ("reverse.cu", documented("reverse")),
        shape: (1, 64),
        arrays: vec![vec![0; 64]],
        numbers: Vec::new(),
    }
}

/// The wrong index of the documentation.
pub fn index() -> TestLaunch {
    TestLaunch {
        source: ("transpose.cu", documented("transpose")),
        shape: (1, 32),
        arrays: vec![vec![0; 12]],
        numbers: vec![4, 3],
    }
}

/// The missing wait of the documentation.
pub fn wait() -> TestLaunch {
    TestLaunch {
        source: ("copy.cu", documented("copy")),
        shape: (1, 32),
        arrays: vec![(1..33).collect(), vec![0; 32]],
        numbers: Vec::new(),
    }
}

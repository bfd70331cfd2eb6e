//! Modules as compilers generate them: unsupported entries next to supported ones, and variables
//! initialized with addresses.

use crate::common::{device, download, load};
use lanework_emulator::{
    Emulator, Fault, FaultKind, LaunchConfig, NullObserver, Options, Outcome, Program,
};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Returns an entry `name(.u64 out)` that writes to `%rd1`, a global address.
fn entry(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 out)\n{{
        .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [out];\n{body}\nret;\n}}\n"
    )
}

fn launch(
    emulator: &Emulator,
    program: &Program,
    name: &str,
    argument: u64,
) -> Result<Outcome, Fault> {
    let config = LaunchConfig::new(name, [1, 1, 1], [1, 1, 1]);
    emulator.launch(program, &config, &[&argument.to_le_bytes()], &mut NullObserver)
}

const UNKNOWN: &str = "frobnicate.u32 %r1, 2;";

#[test]
fn an_entry_that_cannot_run_does_not_keep_others_from_running() {
    let good = entry("good", "mov.u32 %r1, 7; st.global.u32 [%rd1], %r1;");
    let emulator = device(false);
    let text = format!("{HEAD}{}{good}", entry("bad", UNKNOWN));
    let program = load(&emulator, &text).expect("one entry can run");
    assert_eq!(program.entries().collect::<Vec<_>>(), ["good"]);

    let refused: Vec<_> = program.refused().collect();
    assert_eq!(refused.len(), 1);
    let (name, error) = refused[0];
    assert_eq!((name, error.function.as_str()), ("bad", "bad"));
    assert!(error.message.contains("frobnicate"), "{error}");

    let out = emulator.allocate(4, "out").expect("memory");
    launch(&emulator, &program, "good", out).expect("runs");
    assert_eq!(download(&emulator, out, 1), [7]);
    let fault = launch(&emulator, &program, "bad", out).expect_err("refused");
    assert_eq!(fault.kind, FaultKind::Unsupported);
    assert_eq!(fault.text_line, error.text_line);
    let said = fault.to_string();
    assert!(said.contains("unknown instruction `frobnicate.u32`"), "{said}");
    assert!(said.contains("in the launch of `bad`") && !said.contains("thread"), "{said}");
}

#[test]
fn a_refusal_inside_a_called_function_names_both() {
    let callee = format!(".func helper()\n{{ .reg .b32 %r<3>; {UNKNOWN} ret; }}\n");
    let emulator = device(false);
    let (bad, good) = (entry("bad", "call helper, ();"), entry("good", ""));
    let program = load(&emulator, &format!("{HEAD}{callee}{bad}{good}")).expect("loads");
    let said = launch(&emulator, &program, "bad", 0).expect_err("refused").to_string();
    assert!(said.contains("in `helper`, which it calls"), "{said}");
}

#[test]
fn an_unused_function_may_hold_anything() {
    let unused = format!(".func unused()\n{{ .reg .b32 %r<3>; {UNKNOWN} ret; }}\n");
    let program = load(&device(false), &format!("{HEAD}{unused}{}", entry("good", "")));
    assert_eq!(program.expect("loads").refused().count(), 0);
}

#[test]
fn a_module_of_which_nothing_can_run_does_not_load() {
    let text = format!("{HEAD}{}{}", entry("first", UNKNOWN), entry("second", UNKNOWN));
    let error = load(&device(false), &text).expect_err("no entry can run");
    assert_eq!(error.function, "first");
}

#[test]
fn variables_start_with_bytes_of_addresses() {
    let table = "
        .global .align 4 .u32 before[3] = {1, 2, 3};
        .global .align 1 .u8 table[10] = {112, 0xFF(generic(before)+8), 0xFF00(generic(before)+8),
            0xFF0000(generic(before)+8), 0xFF000000(generic(before)+8),
            0xFF00000000(generic(before)+8), 0xFF0000000000(generic(before)+8),
            0xFF000000000000(generic(before)+8), 0xFF00000000000000(generic(before)+8), 253};\n";
    let emulator = device(false);
    let program = load(&emulator, &format!("{HEAD}{table}{}", entry("k", ""))).expect("loads");
    let (before, _) = program.variable("before").expect("placed");
    let (at, bytes) = program.variable("table").expect("placed");
    assert_eq!(bytes, 10);
    let mut found = [0; 10];
    emulator.read(at, &mut found).expect("in bounds");
    assert_eq!(found[1..9], (before + 8).to_le_bytes());
    assert_eq!((found[0], found[9]), (112, 253));
}

#[test]
fn functions_have_addresses_that_calls_may_use() {
    let functions = ".func one()\n;\n.func two()\n{ ret; }\n.func one()\n{ ret; }\n\
        .global .align 8 .u64 table[4] = {0, one, two, one};\n";
    let emulator = device(false);
    let read = entry("read", "ld.global.u64 %rd2, [table+8]; ld.u32 %r1, [%rd2];");
    let call = entry(
        "through",
        "ld.global.u64 %rd2, [table+8]; prototype: .callprototype ()_ (); call %rd2, (), prototype;",
    );
    let null = call.replace("through", "null").replace("table+8", "table");
    let text = format!("{HEAD}{functions}{read}{call}{null}");
    let program = load(&emulator, &text).expect("loads");
    let (at, _) = program.variable("table").expect("placed");
    let words = download(&emulator, at, 8);
    let addresses: Vec<u64> =
        words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
    assert_eq!(addresses[0], 0);
    assert!(addresses[1] != 0 && addresses[2] != 0 && addresses[1] != addresses[2]);
    assert_eq!(addresses[1], addresses[3], "a declaration and its definition are one function");
    let fault = launch(&emulator, &program, "read", 0).expect_err("code cannot be read");
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    launch(&emulator, &program, "through", 0).expect("a function's address");
    let fault = launch(&emulator, &program, "null", 0).expect_err("no function's address");
    assert_eq!(fault.kind, FaultKind::Trap);
}

#[test]
fn an_initial_value_that_names_nothing_is_an_error() {
    let text = format!("{HEAD}.global .u64 table = nowhere;\n{}", entry("k", ""));
    let error = load(&device(false), &text).expect_err("no such name");
    assert!(error.to_string().contains("nowhere"), "{error}");
}

#[test]
fn registers_of_the_environment_are_zero() {
    let body = "mov.u32 %r1, %envreg2; st.global.u32 [%rd1], %r1;
        mov.b32 %r2, %envreg31; st.global.u32 [%rd1+4], %r2;";
    let emulator = device(false);
    let program = load(&emulator, &format!("{HEAD}{}", entry("k", body))).expect("loads");
    let out = emulator.allocate(8, "out").expect("memory");
    launch(&emulator, &program, "k", out).expect("runs");
    assert_eq!(download(&emulator, out, 2), [0, 0]);
}

#[test]
fn lanes_call_the_function_of_their_own_address() {
    let function = |name: &str, body: &str| {
        format!(
            ".func (.param .u32 r) {name}(.param .u32 a)\n{{ .reg .b32 %r<3>;
            ld.param.u32 %r1, [a]; {body} st.param.u32 [r], %r2; ret; }}\n"
        )
    };
    let functions = [
        function("double", "add.u32 %r2, %r1, %r1;"),
        function("square", "mul.lo.u32 %r2, %r1, %r1;"),
        function("unused", &format!("{UNKNOWN} mov.u32 %r2, 0;")),
    ]
    .concat();
    let table = ".global .align 8 .u64 table[2] = {double, square};\n";
    let body = "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 8;
        mov.u64 %rd3, table; add.s64 %rd3, %rd3, %rd2; ld.global.u64 %rd4, [%rd3];
        { .param .u32 a0; .param .u32 r0; st.param.u32 [a0], %r1;
        prototype: .callprototype (.param .u32 _) _ (.param .u32 _);
        call (r0), %rd4, (a0), prototype; ld.param.u32 %r3, [r0]; }
        mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd1, %rd5; st.global.u32 [%rd5], %r3;";
    let emulator = device(false);
    let text = format!("{HEAD}{functions}{table}{}", entry("k", body));
    let program = load(&emulator, &text).expect("loads");
    let out = emulator.allocate(128, "out").expect("memory");
    let config = LaunchConfig::new("k", [1, 1, 1], [32, 1, 1]);
    emulator.launch(&program, &config, &[&out.to_le_bytes()], &mut NullObserver).expect("runs");
    let expected: Vec<u32> = (0..32).map(|i| if i % 2 == 1 { i * i } else { 2 * i }).collect();
    assert_eq!(download(&emulator, out, 32), expected);
}

#[test]
fn reserved_shared_memory_has_1024_bytes() {
    let address = "mov.u32 %r1, %reserved_smem_offset_1; st.global.u32 [%rd1], %r1;";
    let emulator = device(false);
    let touch =
        "st.shared.u32 [%r1+1020], 7; ld.shared.u32 %r2, [%r1+1020]; st.global.u32 [%rd1], %r2;";
    let touch = entry("touch", &format!("{address} {touch}"));
    let past = entry("past", &format!("{address} ld.shared.u32 %r2, [%r1+1048576];"));
    let text = format!("{HEAD}{touch}{past}");
    let program = load(&emulator, &text).expect("loads");
    let out = emulator.allocate(4, "out").expect("memory");
    launch(&emulator, &program, "touch", out).expect("there is memory");
    assert_eq!(download(&emulator, out, 1), [7]);
    let fault = launch(&emulator, &program, "past", out).expect_err("there is no more");
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
}

/// Files of the parser's test data that the emulator refuses, by a part of their name, with the common
/// reason for all their entries. All other files load completely.
const REFUSED: &[(&str, &str)] =
    &[("clang.", "call of `external`, which the module does not define")];

#[test]
fn compiler_output_loads_except_for_listed_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../laboratory/lab/data/compilers");
    let mut loaded = 0;
    for file in std::fs::read_dir(folder).expect("the test data") {
        let path = file.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("text");
        let listed = REFUSED.iter().find(|(start, _)| name.starts_with(start));
        match (load(&device(false), &text), listed) {
            (Ok(program), None) => {
                let refused = program.refused().next();
                assert!(refused.is_none(), "{name}: {refused:?}");
                loaded += 1;
            }
            (Err(error), Some((_, why))) => {
                assert!(error.message.contains(why), "{name}: {error}");
            }
            (Err(error), None) => panic!("{name}: {error}"),
            (Ok(_), Some((_, why))) => panic!("{name} loads: it is listed as refused for {why}"),
        }
    }
    assert!(loaded >= 15, "{loaded} modules in {folder}");
}

/// Returns a kernel whose threads allocate memory, write and read it, and may free it.
fn allocating(bytes: u32, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b64 r) malloc (.param .b64 s);\n.extern .func free (.param .b64 p);\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n\
         add.u64 %rd1, %rd1, %rd2; mov.u64 %rd3, {bytes};\n\
         {{ .param .b64 s; .param .b64 r; st.param.b64 [s], %rd3; call (r), malloc, (s);\n\
         ld.param.b64 %rd4, [r]; }}\n{body}\nst.global.u32 [%rd1], %r2; ret; }}"
    )
}

const FREE: &str = "{ .param .b64 p; st.param.b64 [p], %rd4; call free, (p); }";

#[test]
fn threads_allocate_memory_of_their_own() {
    let own = "add.u32 %r3, %r1, 7; st.u32 [%rd4+60], %r3; ld.u32 %r2, [%rd4+60];";
    let run = crate::common::run(
        &allocating(64, &format!("{own} {FREE}")),
        false,
        [1, 1, 1],
        [64, 1, 1],
        &[0],
        64,
    );
    let words = run.unwrap_or_else(|fault| panic!("{fault}")).words;
    assert!(words.iter().enumerate().all(|(i, word)| *word == i as u32 + 7), "{words:?}");
}

#[test]
fn a_heap_that_is_full_gives_null_and_freed_memory_serves_again() {
    let null = "setp.eq.u64 %p1, %rd4, 0; selp.u32 %r2, 1, 0, %p1;";
    let full =
        crate::common::run(&allocating(1 << 20, null), false, [1, 1, 1], [16, 1, 1], &[0], 16);
    let nulls: u32 = full.unwrap_or_else(|fault| panic!("{fault}")).words.iter().sum();
    assert_eq!(nulls, 9, "7 MB fit beside what the heap keeps for itself");
    let again = format!("{null} @!%p1 bra L; bra E; L: {FREE} E:");
    let run =
        crate::common::run(&allocating(1 << 20, &again), false, [20, 1, 1], [4, 1, 1], &[0], 4);
    assert_eq!(run.unwrap_or_else(|fault| panic!("{fault}")).words, [0; 4]);
    let twice = crate::common::run(
        &allocating(16, &format!("mov.u32 %r2, 0; {FREE} {FREE}")),
        false,
        [1, 1, 1],
        [1, 1, 1],
        &[0],
        4,
    );
    let fault = twice.err().expect("a fault");
    assert!(fault.message.contains("`free` of 0x"), "{fault}");
}

#[test]
fn blocks_that_no_kernel_freed_are_leaks() {
    let checks = Some(lanework_emulator::sanitize::Checks::all());
    let emulator = Emulator::new(Options { checks, ..Options::default() });
    let some = "mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;";
    let program = load(&emulator, &allocating(48, &format!("{some} {FREE} E:"))).expect("loads");
    let out = crate::common::upload(&emulator, "out", &[0; 4]);
    let launch = LaunchConfig::new("k", [1, 1, 1], [4, 1, 1]);
    let arguments: [&[u8]; 3] = [&[0; 8], &out.to_le_bytes(), &[0; 4]];
    let checked = emulator.check(&program, &launch, &arguments).expect("runs");
    assert!(checked.reports.is_empty(), "{:?}", checked.reports);
    let leaks = emulator.leaks();
    let bytes = |leak: &lanework_emulator::sanitize::Report| {
        leak.allocation.as_ref().map_or(0, |a| a.bytes)
    };
    let bytes: Vec<u64> = leaks.iter().map(bytes).collect();
    assert_eq!(bytes, [16, 48], "the buffer, and the block of thread 0");
}

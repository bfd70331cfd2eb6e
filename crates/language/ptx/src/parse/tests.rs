//! Tests of the parser: accepted text and diagnostics.

use super::*;
use crate::ast::*;

const HEADER: &str = ".version 8.0\n.target sm_90a, debug\n.address_size 64\n";

fn module(text: &str) -> Module {
    Module::parse(&format!("{HEADER}{text}")).unwrap_or_else(|e| panic!("{e}"))
}

fn instruction(text: &str) -> Instruction {
    match parse_instructions(text).unwrap_or_else(|e| panic!("{e}")).remove(0) {
        Statement::Instruction(instruction) => instruction,
        other => panic!("{other:?}"),
    }
}

fn operand(text: &str) -> Operand {
    instruction(&format!("mov.b32 {text};")).operands.remove(0)
}

fn problems(text: &str) -> Vec<String> {
    match parse_instructions(text) {
        Ok(statements) => panic!("accepted: {statements:?}"),
        Err(diagnostics) => diagnostics.iter().map(|d| d.message.clone()).collect(),
    }
}

#[test]
fn the_heading_is_read() {
    let module = module(".file 2 \"a\\\\b.cu\", 1700000000, 42\n.file 1 \"k.cu\"");
    assert_eq!(module.version, Version { major: 8, minor: 0 });
    assert_eq!(module.target.to_string(), "sm_90a, debug");
    assert_eq!(module.target.specific, Specific::Architecture);
    assert_eq!(module.files, ["k.cu", "a\\b.cu"]);
}

#[test]
fn an_entry_with_its_directives() {
    let module = module(
        ".visible .entry k(.param .u64 .ptr .global .align 4 k_0, .param .align 64 .b8 map[128])
         .maxntid 256\n.reqnctapercluster 2, 1, 1 .minnctapersm 2\n.explicitcluster\n.pragma \"x\";
         { ret; }",
    );
    let entry = module.entry("k").expect("the entry");
    assert_eq!(entry.params[0].attributes, [".ptr", ".global", ".align", "4"]);
    assert_eq!((entry.params[1].align, entry.params[1].size()), (Some(64), 128));
    assert_eq!(
        entry.directives,
        [
            FunctionDirective::MaxBlock([256, 1, 1]),
            FunctionDirective::RequiredCluster([2, 1, 1]),
            FunctionDirective::MinBlocksPerSm(2),
            FunctionDirective::Other("explicitcluster".into()),
            FunctionDirective::Other("pragma \"x\"".into()),
        ]
    );
}

#[test]
fn variables_with_every_kind_of_initial_value() {
    let module = module(
        ".extern .shared .align 16 .b8 smem[];
         .visible .global .attribute(.managed) .align 4 .u32 a = -1, b[2][2] = {{1, 2}, {3}};
         .const .f32 pi = 0f40490FDB;
         .global .u64 p[4] = {a+4, generic(b), generic(b)+-8, 0};
         .global .b8 bytes[2] = {0xFF(p), 0xFF00(generic(p)+8)};
         .global .texref t, u[2]; .visible .global .surfref s = {width = 5};
         .global .samplerref n = {addr_mode_0=clamp_to_border, filter_mode = nearest};
         .alias f, g;",
    );
    assert_eq!(module.items.len(), 11);
    let printed: Vec<String> = module.variables().map(ToString::to_string).collect();
    assert_eq!(
        printed,
        [
            ".extern .shared .align 16 .b8 smem[]",
            ".visible .global .attribute(.managed) .align 4 .u32 a = -1",
            ".visible .global .attribute(.managed) .align 4 .u32 b[2][2] = {{1, 2}, {3}}",
            ".const .f32 pi = 0f40490FDB",
            ".global .u64 p[4] = {a+4, generic(b), generic(b)+-8, 0}",
            ".global .b8 bytes[2] = {0xFF(p), 0xFF00(generic(p)+8)}",
            ".global .texref t",
            ".global .texref u[2]",
            ".visible .global .surfref s = { width = 5 }",
            ".global .samplerref n = { addr_mode_0 = clamp_to_border, filter_mode = nearest }",
        ]
    );
}

#[test]
fn textures_of_the_first_versions_are_references() {
    let module = module(".tex .u64 image; .tex .u32 a, b; .entry k { ret; }");
    let printed: Vec<String> = module.variables().map(ToString::to_string).collect();
    assert_eq!(printed, [".global .texref image", ".global .texref a", ".global .texref b"]);
}

#[test]
fn a_vector_after_the_type_is_rejected() {
    let text = ".version 8.0\n.target sm_80\n.entry k(.param .b32 .v2 p) { ret; }";
    assert!(Module::parse(text).is_err());
    let text =
        ".version 8.0\n.target sm_80\n.entry k(.param .u64 .ptr .global .align 4 p) { ret; }";
    assert!(Module::parse(text).is_ok());
}

#[test]
fn device_functions_and_calls() {
    let module = module(
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
         .func (.reg .b32 %out) twice(.reg .b32 %in) .noreturn { add.s32 %out, %in, %in; ret; }
         .entry k {
           { .param .b32 r0; call.uni (r0), vprintf, (f0, a0); }
           proto: .callprototype (.param .b32 _) _ (.param .b64 _);
           call (r0), %rd1, (a), proto;
           call twice; ts: .branchtargets L1, L2; @!%p brx.idx %r1, ts; L1: L2: ret;
         }",
    );
    let entry = module.entry("k").expect("the entry");
    let body = entry.body.as_ref().expect("a body");
    assert!(matches!(&body[0], Statement::Block(inner) if inner.len() == 2));
    assert_eq!(
        body[2],
        Statement::Directive(".callprototype (.param .b32 _) _ (.param .b64 _)".into())
    );
    let Statement::Instruction(call) = &body[3] else { panic!("{body:?}") };
    assert_eq!(
        call.operands,
        [
            Operand::Arguments(vec!["r0".into()]),
            "%rd1".into(),
            Operand::Arguments(vec!["a".into()]),
            "proto".into()
        ]
    );
}

#[test]
fn locations_stay_with_the_instructions_after_them() {
    let module = module(
        ".entry k { mov.b32 a, b; .loc 1 5 3\n add.s32 a, b, c; { sub.s32 a, b, c; }
         .loc\t2 7 9, function_name $L__info_string0+4, inlined_at 1 5 3 ret; }
         .entry l { ret; }",
    );
    let body = module.entry("k").and_then(|e| e.body.as_ref()).expect("a body");
    let location = |s: &Statement| match s {
        Statement::Instruction(i) => i.location.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(location(&body[0]), None);
    assert_eq!(location(&body[1]).map(|l| (l.file, l.line, l.column)), Some((1, 5, 3)));
    let Statement::Block(inner) = &body[2] else { panic!("{body:?}") };
    assert_eq!(location(&inner[0]), location(&body[1]));
    assert_eq!(
        location(&body[3]).and_then(|l| l.inlined).as_deref(),
        Some("function_name $L__info_string0+4, inlined_at 1 5 3")
    );
    let body = module.entry("l").and_then(|e| e.body.as_ref()).expect("a body");
    assert_eq!(location(&body[0]), None);
}

#[test]
fn operands_of_every_form() {
    let address = |text: &str| match operand(text) {
        Operand::Address(address) => address,
        other => panic!("{other:?}"),
    };
    assert_eq!(operand("%tid.x"), "%tid.x".into());
    assert_eq!(operand("%0"), "%0".into());
    assert_eq!(operand("!%p1"), Operand::Not("%p1".into()));
    assert_eq!(operand("p|_"), Operand::Pair(Box::new("p".into()), Box::new("_".into())));
    assert_eq!(operand("smem+4*2-1"), Operand::Offset("smem".into(), 7));
    assert_eq!(operand("WARP_SZ"), Operand::integer(32));
    assert_eq!(address("[%rd1+-4]").offset, -4);
    assert_eq!(address("[%rd1+4-8]").offset, -4);
    assert_eq!(address("[%rd1+1<<2]").offset, 4);
    assert_eq!(address("[%rd1+1?8:4]").offset, 8);
    assert_eq!(problems("ld.f32 %f1, [%rd1-4];"), ["an offset follows a `+`, not a `-`"]);
    assert_eq!(address("[p+0xFFFFFFFFFFFFFFFC]").offset, -4);
    assert_eq!(address("[0x100+8]").base, AddressBase::Absolute(256));
    assert_eq!(address("[%rd1, {%r1, %r2}]").extra.len(), 1);
    assert_eq!(address("[tex, smp, {%f1}]").extra.len(), 2);
    assert_eq!(
        operand("{%r1, _, 3}"),
        Operand::Vector(vec!["%r1".into(), "_".into(), Operand::integer(3)])
    );
}

#[test]
fn an_index_in_a_register_becomes_an_address() {
    let text = ".reg .b32 %r<4>; .reg .b64 %rd<3>; .local .b64 a[4];
        ld.local.u64 %rd1, a[%r3]; @%p st.local.u64 a[%rd2+1], %rd1;";
    let statements = parse_instructions(text).expect("it parses");
    let printed: Vec<String> = statements
        .into_iter()
        .filter_map(|s| if let Statement::Block(inner) = s { Some(inner) } else { None })
        .flatten()
        .filter_map(|s| if let Statement::Instruction(i) = s { Some(i.to_string()) } else { None })
        .collect();
    assert_eq!(
        printed,
        [
            "mul.wide.u32 %__element0, %r3, 8",
            "mov.u64 %__element1, a",
            "add.u64 %__element1, %__element1, %__element0",
            "ld.local.u64 %rd1, [%__element1]",
            "mul.lo.u64 %__element0, %rd2, 8",
            "mov.u64 %__element1, a",
            "add.u64 %__element1, %__element1, %__element0",
            "@%p st.local.u64 [%__element1+8], %rd1",
        ]
    );
}

#[test]
fn elements_of_arrays_are_byte_offsets() {
    let text = ".local .b32 a[8], b[2][3]; .shared .v4 .f32 v[4]; .global .b8 c[16];
        mov.u64 %rd1, a[3]; mov.u64 %rd1, a[0]; mov.u64 %rd1, b[2]; mov.u64 %rd1, v[1];
        { .local .b64 a[4]; ld.local.u64 %rd2, a[1]; st.local.u64 a[0], %rd2; }
        ld.local.u32 %r1, a[2+1]; ld.global.u8 %r1, c[5];";
    let printed: Vec<String> = parse_instructions(text)
        .expect("it parses")
        .into_iter()
        .flat_map(|s| if let Statement::Block(inner) = s { inner } else { vec![s] })
        .filter_map(|s| if let Statement::Instruction(i) = s { Some(i) } else { None })
        .map(|i| i.operands.iter().map(|o| o.to_string()).collect::<Vec<_>>().join(", "))
        .collect();
    assert_eq!(
        printed,
        [
            "%rd1, a+12",
            "%rd1, a",
            "%rd1, b+8",
            "%rd1, v+4",
            "%rd2, [a+8]",
            "[a], %rd2",
            "%r1, [a+12]",
            "%r1, [c+5]"
        ]
    );
    for (text, expected) in [
        ("mov.u64 %rd1, b[1];", "`b` is indexed, but not declared above as an array"),
        (".local .b32 b; mov.u64 %rd1, b[1];", "`b` is indexed, but not declared"),
        (".local .b32 b[4]; mov.u64 %rd1, b[%r1];", "an address is indexed by constants only"),
        (".local .b32 b[4]; ld.local.u32 %r1, b[%r2];", "`%r2` is not a register"),
        (".reg .b16 %h<2>; .local .b32 b[4]; ld.local.u32 %h0, b[%h1];", "an index has 32 or 64"),
        (".local .b32 b[4]; mov.u64 %rd1, b[0x7fffffffffffffff];", "the index is too large"),
        ("{ .local .b32 b[4]; } mov.u64 %rd1, b[1];", "`b` is indexed, but not declared"),
    ] {
        let found = problems(text);
        assert!(found[0].contains(expected), "{text}: {found:?}");
    }
}

#[test]
fn literals_and_constant_expressions() {
    let value = |text: &str| match operand(text) {
        Operand::Immediate(value) => value,
        other => panic!("{other:?}"),
    };
    for (text, expected) in [
        ("0x1F", 31),
        ("017", 15),
        ("0b101U", 5),
        ("0", 0),
        ("-5", -5),
        ("~0", i128::from(u64::MAX)),
        ("!0", 1),
        ("18446744073709551615", i128::from(u64::MAX)),
        ("-0x8000000000000000", 1 << 63),
        ("(1 + 2) * 3 << 1 | 1", 19),
        ("7 / 2 - 5 % 3", 1),
        ("(7)%4 + 5%3", 5),
        ("1 ? 2 : 3", 2),
        ("0 ? 1 : 0 ? 2 : 3", 3),
        ("1 ? 0 ? 5 : 6 : 3", 6),
        ("1 || 0 ? 4 : 5", 4),
        ("3>2?7:8", 7),
        // Values of ptxas 13.0: the result is unsigned if one side is, `%` always, and shifts have the left side's
        // type.
        ("-1 > 0U", 1),
        ("-1 > 0", 0),
        ("(.u64)-1 > 0", 1),
        ("-1 / 2U", 0x7fff_ffff_ffff_ffff),
        ("-7 / 2", -3),
        ("-7 % 2", 1),
        ("-1 >> 1", -1),
        ("-1U >> 1", 0x7fff_ffff_ffff_ffff),
        ("~0 > 0", 1),
        ("!0 > -1", 1),
        ("1 << 63 >> 63", -1),
        ("1 << 65", 2),
        ("1 << -1", i128::from(i64::MIN)),
        ("(-1 & -1) >> 1", -1),
        ("(1 ? -1 : 0U) > 0", 0),
        ("0x8000000000000000 / -1", 0),
        ("-0x8000000000000000 / 2", 1 << 62),
        ("0x7fffffffffffffff + 1 > 0", 0),
        ("(-0x7fffffffffffffff - 1) / -1", i128::from(i64::MIN)),
        ("1.5 == 1.5", 1),
        ("1.5 <= 1.0", 0),
        ("WARP_SZ * 2", 64),
        ("1 << 4 >> 2", 4),
        ("3 > 2 && 1 != 2", 1),
        ("(.u64) -1", i128::from(u64::MAX)),
        ("0xFFFFFFFFFFFFFFFF * 0xFFFFFFFFFFFFFFFF", 1),
    ] {
        assert_eq!(value(text), Immediate::Integer(expected), "{text}");
    }
    assert_eq!(value("0f3F800000"), Immediate::F32(1.0f32.to_bits()));
    assert_eq!(value("0Fbf800000"), Immediate::F32((-1.0f32).to_bits()));
    assert_eq!(value("0d3FF0000000000000"), Immediate::F64(1.0f64.to_bits()));
    assert_eq!(value("1.5e-3"), Immediate::F64(1.5e-3f64.to_bits()));
    assert_eq!(value("1.0 - 2.0 * 0d4008000000000000"), Immediate::F64((-5.0f64).to_bits()));
    for (text, expected) in [
        ("1.5 + 2", "`+` takes two integers or two doubles here"),
        ("1 ? 2.5 : 3.5", "this operator takes integer constants only"),
        ("!1.5", "this operator takes integer constants only"),
        ("-0f3F800000", "`0f` literals take no operator"),
        ("1 ? 2 : 1 / 0", "division by zero"),
        ("1 ? 2", "expected `:` between the values of `?:`, found `;`"),
        ("1.0 / 0.0", "division by zero"),
    ] {
        assert_eq!(problems(&format!("mov.b32 a, {text};")), [expected], "{text}");
    }
}

#[test]
fn old_prototypes_need_no_semicolon() {
    let module = module(
        ".extern .func (.param .b32 r) f (.param .b32 a) .noreturn\n.func g\n.visible .func h
         .shared .b32 x;\n.entry k { ret; }\n.func last",
    );
    let names: Vec<&str> = module.functions().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f", "g", "h", "k", "last"]);
    assert_eq!(module.functions().next().map(|f| f.directives.len()), Some(1));
    let printed = module.to_string();
    assert_eq!(Module::parse(&printed).map(|again| again.to_string()), Ok(printed));
    let error = Module::parse(&format!("{HEADER}.entry j\n.entry k {{ ret; }}")).expect_err("j");
    assert!(error.to_string().contains("expected `;` or `{` after the function's head"));
}

#[test]
fn one_run_reports_several_problems() {
    let found = problems(
        "add.s32 %r1, %r2 %r3;\nmov.b32 {%r1, ;\nld.f32 %f1, [%r1+%r2];\nmov.b32 a, 0f12;\nret;",
    );
    assert_eq!(
        found,
        [
            "expected `;` after the instruction, found `%r3`",
            "expected an operand, found `;`",
            "expected a constant offset, found `%r2`",
            "`0f12` is not a valid floating-point literal",
        ]
    );
}

#[test]
fn a_missing_semicolon_is_one_problem() {
    let error = parse_instructions("add.s32 a, b, c\nret;\nbra L\n}").expect_err("problems");
    let places: Vec<_> = error.iter().map(|d| (d.line, d.column)).collect();
    assert_eq!(places, [(1, 16), (3, 6), (4, 1)]);
}

#[test]
fn problems_of_modules() {
    for (text, expected) in [
        (String::new(), "the module has no `.version`"),
        (".version 8.0".to_owned(), "the module has no `.target`"),
        (".version x\n.target sm_80".to_owned(), "expected a version such as 7.0, found `x`"),
        (".version 8.0\n.target compute_80".to_owned(), "`compute_80` is not a valid target"),
        (format!("{HEADER}.address_size 32"), "only 64-bit addresses are supported"),
        (format!("{HEADER}.entry k {{ ret;"), "this `{` is never closed"),
        (format!("{HEADER}.entry k {{ ret; /* }}"), "this comment is never closed"),
        (format!("/* {HEADER}"), "this comment is never closed"),
        (format!("{HEADER}ret;"), "expected a directive, found `ret`"),
        (format!("{HEADER}{HEADER}"), "a second `.version`"),
        (format!("{HEADER}.section .debug_str {{ .b8 1"), "the section never ends"),
        (format!("{HEADER}.file 4000000000 \"x\""), "the file number is above 65536"),
    ] {
        let error = Module::parse(&text).expect_err(&text);
        assert_eq!(error.iter().next().map(|d| d.message.as_str()), Some(expected), "{text}");
    }
}

#[test]
fn a_bad_function_does_not_hide_the_next_one() {
    let text = format!("{HEADER}.func f(.param x) {{ ret; }}\n.entry k {{ foo }}\n.global .b17 g;");
    let error = Module::parse(&text).expect_err("problems");
    assert_eq!(error.iter().map(|d| d.line).collect::<Vec<_>>(), [4, 5, 6]);
}

#[test]
fn nesting_has_a_limit_and_costs_linear_time() {
    for open in ["{", "mov.b32 {", "mov.b32 (", "mov.b32 ----", "call ((", "mov.b32 1+(", "[", "{;"]
    {
        let text = open.repeat(200_000);
        let error = parse_instructions(&text).expect_err("too deep");
        assert!(error.iter().count() <= 20);
    }
    let unclosed = "{ add.s32 a, b, c; ".repeat(60);
    assert_eq!(problems(&unclosed).len(), 20);
}

#[test]
fn invalid_characters_are_named() {
    assert_eq!(
        problems("mov.b32 a, é;"),
        ["expected an operand, found `é`, which PTX does not use"]
    );
    assert_eq!(problems("mov.b32 a, /* x;"), ["this comment is never closed"]);
    assert_eq!(problems("mov.b32 a, \"x;"), ["expected an operand, found an unfinished string"]);
    assert_eq!(
        problems("%r1 = 5;"),
        ["expected an instruction, a label or a directive, found `%r1`"]
    );
    assert_eq!(problems("mov.s32 a, -b;"), ["a register operand cannot be negated"]);
    assert_eq!(problems("mov.s32 a, 1/0;"), ["division by zero"]);
}

fn printed(target: &str) -> String {
    let text = format!(
        ".version 1.4\n.target {target}\n.entry k {{\n.reg .pred %p; .reg .u32 %r; .reg .f32 %f<4>;\n\
             mad.f32 %f0, %f1, %f2, %f3;\nmul.sat.f32 %f0, %f1, %f2;\nsetp.lt.f32 %p, %f0, %f1;\n\
             set.gt.u32.f32 %r, %f0, %f1;\ndiv.full.f32 %f0, %f1, %f2;\nmov.f32 %f0, %f1;\nexit;\n}}\n"
    );
    Module::parse(&text).expect("the text parses").to_string()
}

#[test]
fn the_first_generation_flushes_and_fuses() {
    let read = printed("sm_10");
    let expected = [
        "mad.rn.ftz.f32",
        "mul.ftz.sat.f32",
        "setp.lt.ftz.f32",
        "set.gt.ftz.u32.f32",
        "div.full.ftz.f32",
        "mov.f32",
    ];
    assert!(expected.iter().all(|words| read.contains(words)), "{read}");
    let module = Module::parse(&read).expect("it parses again");
    module.validate().expect("these forms stand today");
    assert_eq!(module.to_string(), read);
}

#[test]
fn later_targets_are_unchanged() {
    let read = printed("sm_20");
    assert!(!read.contains("ftz") && read.contains("mad.f32"), "{read}");
}

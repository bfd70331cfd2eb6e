//! Generated modules print to text that parses to the same module. A golden file holds the printed form of a module
//! with every construct.

use crate::common::without_text_lines;
use lanework_ptx::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9_$]{0,6}|[_$%][a-zA-Z0-9_$]{1,6}"
        .prop_filter("a name of its own", |n| n != "WARP_SZ" && n != "generic")
}

fn scalar() -> impl Strategy<Value = ScalarType> {
    use ScalarType::*;
    prop::sample::select(vec![
        Pred, B8, B16, B32, B64, B128, U8, U32, U64, S16, S64, F16x2, Bf16, F32, F64,
    ])
}

fn immediate() -> impl Strategy<Value = Immediate> {
    prop_oneof![
        any::<i64>().prop_map(|v| Immediate::Integer(v.into())),
        any::<u64>().prop_map(|v| Immediate::Integer(v.into())),
        (-9i128..9).prop_map(Immediate::Integer),
        any::<u32>().prop_map(Immediate::F32),
        any::<u64>().prop_map(Immediate::F64),
    ]
}

fn initializer() -> impl Strategy<Value = Initializer> {
    let address = (name(), any::<i64>(), any::<bool>())
        .prop_map(|(name, offset, generic)| Initializer::Address { name, offset, generic })
        .boxed();
    let leaf = prop_oneof![
        immediate().prop_map(Initializer::Value),
        address.clone(),
        (any::<u64>(), address.prop_map(Box::new))
            .prop_map(|(mask, address)| Initializer::Masked { mask, address }),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Initializer::List))
}

fn linkage() -> impl Strategy<Value = Linkage> {
    use Linkage::*;
    prop::sample::select(vec![Internal, Extern, Visible, Weak, Common])
}

/// A variable of `space`, with an initial value if `module`.
fn variable(space: StateSpace, module: bool) -> impl Strategy<Value = Variable> {
    let param = space == StateSpace::Param;
    let linkage = if module { linkage().boxed() } else { Just(Linkage::Internal).boxed() };
    let init = if param { Just(None).boxed() } else { option::of(initializer()).boxed() };
    let attributes =
        if param { vec![".ptr", ".global", ".align", "4"] } else { vec![".attribute(.managed)"] };
    let attributes = attributes.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let attributes = prop_oneof![3 => Just(Vec::new()), 1 => Just(attributes)];
    let shape = (option::of(0u32..4096), prop::sample::select(vec![1u8, 2, 4]), scalar(), name());
    let dims = vec(option::of(any::<u64>()), 0..3);
    (linkage, shape, dims, init, attributes).prop_map(
        move |(linkage, (align, vector, ty, name), dims, init, attributes)| Variable {
            linkage,
            space,
            align,
            vector,
            ty,
            name,
            dims,
            init,
            attributes,
        },
    )
}

/// An operand that may also be in braces or among arguments.
fn part() -> impl Strategy<Value = Operand> {
    let register = prop_oneof![name(), name().prop_map(|n| n + ".x"), Just("_".to_owned())].boxed();
    let leaf = prop_oneof![
        3 => register.clone().prop_map(Operand::Name),
        1 => register.clone().prop_map(Operand::Not),
        2 => immediate().prop_map(Operand::Immediate),
        1 => (register.clone(), register.clone())
            .prop_map(|(a, b)| Operand::Pair(Box::new(a.into()), Box::new(b.into()))),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        let base = prop_oneof![
            name().prop_map(AddressBase::Name),
            any::<u64>().prop_map(AddressBase::Absolute)
        ];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Operand::Vector),
            (base, any::<i64>(), vec(inner, 0..3)).prop_map(|(base, offset, extra)| {
                Operand::Address(Address { base, offset, extra })
            }),
        ]
    })
}

/// An operand of an instruction.
fn operand() -> impl Strategy<Value = Operand> {
    // Operands in braces or among arguments cannot have an offset.
    let sum = (name(), any::<i64>().prop_filter("not a plain name", |o| *o != 0))
        .prop_map(|(name, offset)| Operand::Offset(name, offset));
    prop_oneof![12 => part(), 1 => sum]
}

fn location() -> impl Strategy<Value = Location> {
    let inlined = prop_oneof![
        2 => Just(None),
        1 => (name(), 0u32..9).prop_map(|(n, l)| Some(format!("function_name {n}+4, inlined_at 1 {l} 3"))),
    ];
    (1u32..3, 0u32..4, 0u32..4, inlined).prop_map(|(file, line, column, inlined)| Location {
        file,
        line,
        column,
        inlined,
    })
}

fn instruction() -> impl Strategy<Value = Statement> {
    let guard = option::of((name(), any::<bool>()))
        .prop_map(|g| g.map(|(register, negated)| Guard { register, negated }));
    let modifier = "[a-zA-Z0-9_]{1,6}(::[a-z0-9_]{1,5})?";
    let modifier = prop_oneof![
        modifier.boxed(),
        prop::sample::select(vec!["f32", "m16n8k16", "rn"]).prop_map(str::to_owned)
    ];
    let word = prop_oneof![Just("call".to_owned()), Just("mma".to_owned()), "[a-z][a-z0-9_]{0,5}"];
    (guard, word, vec(modifier, 0..4), vec(operand(), 0..4), vec(part(), 0..3), location())
        .prop_map(|(guard, opcode, modifiers, mut operands, arguments, location)| {
            if opcode == "call" {
                operands.insert(0, Operand::Arguments(arguments));
            }
            let name = [vec![opcode], modifiers].concat().join(".");
            let mut instruction = Instruction::new(&name, operands);
            (instruction.guard, instruction.location) = (guard, Some(location));
            Statement::Instruction(instruction)
        })
}

fn statement() -> impl Strategy<Value = Statement> {
    let registers = (
        prop::sample::select(vec![1u8, 2, 4]),
        scalar(),
        vec((name(), option::of(any::<u32>())), 1..3),
    )
        .prop_map(|(vector, ty, names)| Statement::Registers(Registers { vector, ty, names }));
    let directive = prop_oneof![
        Just(".branchtargets L1, L2".to_owned()),
        Just(".pragma \"nounroll\"".to_owned()),
        Just(".callprototype (.param .b32 _) _ (.param .b64 _)".to_owned()),
    ];
    let spaces =
        [StateSpace::Local, StateSpace::Shared, StateSpace::Param].map(|s| variable(s, false));
    let [local, shared, param] = spaces;
    let leaf = prop_oneof![
        8 => instruction(),
        1 => registers,
        1 => prop_oneof![local, shared, param].prop_map(Statement::Variable),
        1 => name().prop_map(Statement::Label),
        1 => directive.prop_map(Statement::Directive),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| vec(inner, 0..5).prop_map(Statement::Block))
}

fn directive() -> impl Strategy<Value = FunctionDirective> {
    let shape = prop::array::uniform3(any::<u32>());
    prop_oneof![
        shape.prop_map(FunctionDirective::MaxBlock),
        shape.prop_map(FunctionDirective::RequiredBlock),
        shape.prop_map(FunctionDirective::RequiredCluster),
        any::<u32>().prop_map(FunctionDirective::MinBlocksPerSm),
        any::<u32>().prop_map(FunctionDirective::MaxRegisters),
        prop::sample::select(vec![
            "noreturn",
            "maxclusterrank 8",
            "pragma \"a b\"",
            "explicitcluster"
        ])
        .prop_map(|words| FunctionDirective::Other(words.to_owned())),
    ]
}

fn function() -> impl Strategy<Value = Item> {
    let returns = vec(variable(StateSpace::Param, false), 0..2);
    let params = vec(variable(StateSpace::Param, false), 0..4);
    let body = option::weighted(0.8, vec(statement(), 0..12));
    (linkage(), any::<bool>(), name(), returns, params, vec(directive(), 0..3), body).prop_map(
        |(linkage, entry, name, returns, params, directives, body)| {
            let returns = if entry { Vec::new() } else { returns };
            Item::Function(Function { linkage, entry, name, returns, params, directives, body })
        },
    )
}

fn item() -> impl Strategy<Value = Item> {
    let spaces =
        [StateSpace::Global, StateSpace::Const, StateSpace::Shared].map(|s| variable(s, true));
    let [global, constant, shared] = spaces;
    let directive = prop::sample::select(vec![
        ".alias f, g;",
        ".section .debug_str {\n$L__info_string0:\n.b8 95,90 // a comment\n}",
    ]);
    prop_oneof![
        2 => prop_oneof![global, constant, shared].prop_map(Item::Variable),
        3 => function(),
        1 => directive.prop_map(|words| Item::Directive(words.to_owned())),
    ]
}

fn module() -> impl Strategy<Value = Module> {
    let specific =
        prop::sample::select(vec![Specific::Portable, Specific::Family, Specific::Architecture]);
    let options =
        vec(prop::sample::select(vec!["debug".to_owned(), "texmode_independent".to_owned()]), 0..2);
    let target = (any::<u32>(), specific, options)
        .prop_map(|(architecture, specific, options)| Target { architecture, specific, options });
    let version = (any::<u8>(), any::<u8>()).prop_map(|(major, minor)| Version { major, minor });
    let files = vec("[a-zA-Z0-9 /.:é\"\\\\-]{0,12}", 0..3);
    (version, target, files, vec(item(), 0..5)).prop_map(|(version, target, files, items)| Module {
        version,
        target,
        files,
        items,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_modules_round_trip(module in module()) {
        let printed = module.to_string();
        let again = match Module::parse(&printed) {
            Ok(again) => again,
            Err(problems) => return Err(TestCaseError::fail(format!("{problems}\n\n{printed}"))),
        };
        prop_assert_eq!(without_text_lines(again), module, "{}", printed);
    }
}

/// Every construct, as text in the printer's form.
#[test]
fn the_printed_form_is_a_fixed_point() {
    let text = include_str!("../golden/everything.ptx");
    let module = Module::parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(module.to_string(), text, "run `cargo run --example reprint` on the golden file");
}

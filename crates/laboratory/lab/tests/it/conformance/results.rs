//! Every form of every instruction on the emulator, against the recorded results of an H200, and the table of
//! the instructions whose results agree.

use lanework::Device;
use lanework_lab::conformance::{InstructionForm, Vectors, combinations, compare, execute, forms};
use std::collections::BTreeSet;

/// The table of the instructions that were compared; `LANEWORK_BLESS=1` writes it.
const MEASURED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/measured.txt");
/// An H200's results of tensor-core instructions; `lanework/tests/tensor` compares them.
const TENSOR: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../runtime/lanework/tests/tensor/h200.txt"
));

const HEAD: &str = "\
# Instructions whose results on the emulator equal an H200's bit for bit over every recorded vector.
# Made by: LANEWORK_BLESS=1 cargo test -p lanework-lab --test it conformance::results
";

#[test]
fn every_form_that_runs_matches_the_gpu() {
    let vectors = Vectors::recorded();
    let forms: Vec<InstructionForm> = forms().into_iter().filter(InstructionForm::runs).collect();
    let outcomes = execute(&Device::emulator(), &forms, 384, &mut |_| {}).expect("memory");
    let (mut same, mut wrong) = (BTreeSet::new(), Vec::new());
    let mut count = 0;
    for (form, outcome) in forms.iter().zip(outcomes) {
        let Ok(found) = outcome else { continue };
        let Some(expected) = vectors.of(form) else {
            wrong.push(format!("{} has no vectors", form.text));
            continue;
        };
        match compare(form, expected, &found) {
            None => count += 1,
            Some(difference) => wrong.push(format!("{}: {difference:x?}", form.text)),
        }
        same.insert(form.name.clone());
    }
    assert!(wrong.is_empty(), "{} forms:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 1_800, "only {count} forms ran");
    same.extend(tensor_instructions());
    let lines: Vec<String> = same.into_iter().collect();
    let table = format!("{HEAD}{}\n", lines.join("\n"));
    lanework_testing::expect_file(MEASURED, &table);
}

/// Recorded tensor-core instructions, without those in f64: their NaN payloads are not compared.
fn tensor_instructions() -> impl Iterator<Item = String> {
    let lines = TENSOR.lines().filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| line.split(['\t', ' ']).next());
    names.filter(|name| !name.contains("f64")).map(str::to_owned)
}

#[test]
fn every_combination_matches_the_gpu() {
    let vectors = Vectors::recorded();
    let forms = combinations();
    let outcomes = execute(&Device::emulator(), &forms, 128, &mut |_| {}).expect("memory");
    let (mut wrong, mut refused, mut missing) = (Vec::new(), 0, 0);
    for (form, outcome) in forms.iter().zip(outcomes) {
        match (outcome, vectors.of(form)) {
            (Err(_), _) => refused += 1,
            (_, None) => missing += 1,
            (Ok(found), Some(expected)) => {
                if let Some(difference) = compare(form, expected, &found) {
                    wrong.push(format!("{}: {difference:x?}", form.text));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} forms:\n{}", wrong.len(), wrong.join("\n"));
    if missing + refused == forms.len() {
        lanework_testing::skip(
            "combinations of instructions against a GPU",
            "no results of a GPU are on record (lanework-lab conform --record)",
        );
    } else {
        assert_eq!(missing, 0, "combinations without results of a GPU");
    }
    // Operands in braces whose values ptxas invents, and video instructions for which GPUs differ from the manual.
    assert!(refused < 250, "{refused} combinations are refused");
}

#[test]
fn a_wrong_result_is_found() {
    let vectors = Vectors::recorded();
    let form = forms().into_iter().find(|form| form.name == "add.rz.f32").expect("a form");
    let mut found = vectors.of(&form).expect("its vectors").to_vec();
    found[4 * 300] ^= 1;
    let difference = compare(&form, vectors.of(&form).expect("its vectors"), &found);
    assert_eq!(difference.map(|d| (d.count, d.of)), Some((1, 384)));
}

//! The emulator against what an H200 gave for every form of every instruction.

use lanework::Device;
use lanework_lab::conformance::{Form, Vectors, compare, execute, forms};

#[test]
fn every_form_that_runs_gives_what_the_gpu_gave() {
    let vectors = Vectors::recorded();
    let forms: Vec<Form> = forms().into_iter().filter(Form::runs).collect();
    let outcomes = execute(&Device::emulator(), &forms, 384, &mut |_| {}).expect("memory");
    let (mut same, mut wrong) = (0, Vec::new());
    for (form, outcome) in forms.iter().zip(outcomes) {
        let Ok(found) = outcome else { continue };
        let Some(expected) = vectors.of(form) else {
            wrong.push(format!("{} has no vectors", form.text));
            continue;
        };
        match compare(form, expected, &found) {
            None => same += 1,
            Some(difference) => wrong.push(format!("{}: {difference:x?}", form.text)),
        }
    }
    assert!(wrong.is_empty(), "{} forms:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same >= 1_800, "only {same} forms ran");
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

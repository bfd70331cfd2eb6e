//! Approximate functions for every input in three parts of their range, against fingerprints of an H200's results;
//! `lanework-lab conform --exhaustive` compares all parts.

use lanework::Device;
use lanework_lab::conformance::exhaustive::{
    Every, Fingerprints, fingerprint, is_approximate, is_exhaustible, parts,
};
use lanework_lab::conformance::{InstructionForm, forms};

/// Upper bits of the inputs: zero and subnormal numbers, [0.5, 2), and (-128, -32].
const PARTS: [u64; 3] = [0x00, 0x3f, 0xc2];

fn approximate() -> Vec<InstructionForm> {
    forms().into_iter().filter(|form| is_approximate(form) && is_exhaustible(form)).collect()
}

#[test]
fn every_approximate_form_has_all_its_fingerprints() {
    let recorded = Fingerprints::recorded();
    for form in approximate() {
        let found = recorded.parts.get(form.key()).map(Vec::len);
        assert_eq!(found, Some(parts(&form) as usize), "{}", form.text);
    }
    assert!(recorded.parts.len() >= 27, "{}", recorded.parts.len());
}

#[test]
#[ignore = "slow: three parts of 2^24 inputs for each function"]
fn approximate_functions_match_the_gpu_for_every_input_of_three_parts() {
    let recorded = Fingerprints::recorded();
    let mut wrong = Vec::new();
    for form in approximate() {
        let prints = &recorded.parts[form.key()];
        let mut every = Every::new(&Device::emulator(), &form).expect("the form loads");
        for part in PARTS.into_iter().filter(|part| *part < parts(&form)) {
            let found = every.part(part).expect("a launch");
            if prints[part as usize] != fingerprint(&found) {
                wrong.push(format!("{} in part {part:#04x}", form.text));
            }
        }
    }
    assert!(wrong.is_empty(), "different from an H200:\n{}", wrong.join("\n"));
}

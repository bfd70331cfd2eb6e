//! The table of parameters that rungs ignore is correct: changing a parameter changes a rung's kernel or launch unless
//! the table lists it.

use lanework::{Device, Job};
use lanework_lab::{Request, families};

/// The launch of a rung with a parameter: its shape, and its PTX.
fn launch(
    family: &lanework_lab::Family,
    rung: &str,
    name: &'static str,
    value: u64,
) -> Option<String> {
    let device = Device::emulator();
    let request = Request::new(device.backend()).with(name, value);
    let small = family.parameters.contains(&"size");
    let case =
        family.case(&if small { request.with("size", 300) } else { request }).expect("a case");
    let mut trial = case.trial(rung, &device).ok()?;
    let Job::Kernel(kernel) = trial.job().ok()? else { return None };
    Some(format!("{:?}\n{}", kernel.shape(), kernel.module()))
}

#[test]
fn rungs_use_the_parameters_that_they_take() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for family in families() {
        for name in ["block", "tile"].into_iter().filter(|name| family.parameters.contains(name)) {
            let idle = family.unused.iter().find(|(unused, _)| *unused == name);
            let idle = idle.map_or(&[][..], |(_, rungs)| rungs);
            let values = if name == "tile" { [4, 8] } else { [16, 32] };
            let values = if (family.ladder)().name == "sum-squares" { [64, 128] } else { values };
            for rung in (family.ladder)().rungs {
                let [one, other] = values.map(|value| launch(&family, rung.name, name, value));
                let (Some(one), Some(other)) = (one, other) else { continue };
                if (one == other) != idle.contains(&rung.name) {
                    let ignores = if one == other { "ignores" } else { "uses" };
                    wrong.push(format!(
                        "{}/{} {ignores} --{name}",
                        (family.ladder)().name,
                        rung.name
                    ));
                }
                compared += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "the table says otherwise: {wrong:#?}");
    assert!(compared > 25, "{compared}");
}

//! The emulator's counters, against an H200's hardware counters for the same launches.

use lanework::Device;
use lanework_lab::{Deviation, Hardware, UNCOUNTED, launch_corpus};

#[test]
fn counters_equal_the_hardwares_except_where_explained() {
    let hardware = Hardware::recorded();
    let mut deviations: Vec<Deviation> = Vec::new();
    let mut launches = 0;
    launch_corpus(&Device::emulator(), None, &|_| true, &mut |launched| {
        let counters = launched.profile.expect("the emulator counts").counters;
        let found = hardware.compare(&launched.name, &counters);
        let uncounted = UNCOUNTED.contains(&launched.name.as_str());
        assert_eq!(found.is_empty(), uncounted, "what the GPU counted of `{}`", launched.name);
        deviations.extend(found);
        launches += 1;
        Ok(())
    })
    .expect("every launch runs");
    assert_eq!(
        launches,
        hardware.launches.len() + UNCOUNTED.len(),
        "the corpus is what the GPU counted"
    );
    let far: Vec<&Deviation> = deviations.iter().filter(|one| !one.within_a_hundredth()).collect();
    for one in &far {
        assert!(one.explanation().is_some(), "unexplained: {one:?}");
    }
    let within = 1.0 - far.len() as f64 / deviations.len() as f64;
    assert!(within >= 0.95, "only {:.1} % within 1 %", 100.0 * within);
    assert!(deviations.len() > 3000, "{} counters", deviations.len());
}

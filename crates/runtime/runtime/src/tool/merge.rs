//! Merges the records of many launches: one profile for each kernel and shape, each kernel's name once.

use super::record::Profiled;

/// The profiles of a program, summed over the launches of each kernel and shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles(pub Vec<(u64, Profiled)>);

impl Profiles {
    /// Adds a launch. Keeps the patterns and caches of the first launch.
    pub fn add(&mut self, one: Profiled) {
        let same = |(_, known): &&mut (u64, Profiled)| {
            let (a, b) = (&known.profile, &one.profile);
            (&a.kernel, a.grid, a.block, a.dynamic_shared, a.blocks_run)
                == (&b.kernel, b.grid, b.block, b.dynamic_shared, b.blocks_run)
                && a.instructions.len() == b.instructions.len()
                && a.instructions.iter().zip(&b.instructions).all(|(a, b)| a.origin == b.origin)
        };
        let Some((launches, known)) = self.0.iter_mut().find(same) else {
            self.0.push((1, one));
            return;
        };
        *launches += 1;
        known.profile.counters.add(&one.profile.counters);
        for (to, from) in known.profile.instructions.iter_mut().zip(&one.profile.instructions) {
            to.counters.add(&from.counters);
        }
        if known.touches.is_empty() && known.caches.is_none() {
            (known.touches, known.caches) = (one.touches, one.caches);
        }
    }

    /// A kernel as a report names it.
    pub fn title(launches: u64, one: &Profiled) -> String {
        match launches {
            1 => one.profile.kernel.clone(),
            many => format!("{}, {many} launches", one.profile.kernel),
        }
    }
}

/// Distinct names, in the order of their first occurrence.
pub fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in all {
        if !once.iter().any(|known| known == name) {
            once.push(name.to_owned());
        }
    }
    once
}

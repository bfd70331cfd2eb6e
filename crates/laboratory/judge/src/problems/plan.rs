//! Selects the test problems: every edge, every kind of values and every choice of a scalar at least once, the rest
//! at random.

use crate::problems::extents::Extents;
use crate::task::{ParameterKind, Task, TaskError, Values};
use rand::{Rng, rngs::StdRng, seq::SliceRandom};

impl Task {
    /// The extents and kinds of the test problems: every edge and every kind at least once, in random order.
    ///
    /// # Errors
    /// As [`Task::complete`].
    pub fn plan(&self, random: &mut StdRng) -> Result<Vec<(Extents, Values, u64)>, TaskError> {
        let mut shapes = Vec::new();
        let corner = |at: &dyn Fn(u64, u64, u64) -> u64| -> Extents {
            let drawn = self.extents.iter().filter(|extent| extent.derived.is_none());
            drawn
                .map(|extent| {
                    let (low, high) = extent.range;
                    let low = low.next_multiple_of(extent.multiple_of);
                    (extent.name.clone(), at(low, extent.multiple_of, high).min(high))
                })
                .collect()
        };
        shapes.push(corner(&|low, _, _| low));
        shapes.push(corner(&|low, step, high| if low + step <= high { low + step } else { low }));
        for extent in &self.extents {
            for edge in &extent.edges {
                let mut drawn = self.draw_extents(random)?;
                drawn.insert(extent.name.clone(), *edge);
                shapes.push(self.complete(drawn)?);
            }
        }
        let kinds = &self.values;
        while shapes.len() < self.limits.rounds.max(kinds.len()) {
            shapes.push(self.draw_extents(random)?);
        }
        shapes.shuffle(random);
        let mut order: Vec<Values> = (0..shapes.len())
            .map(|at| kinds.get(at % kinds.len().max(1)).copied().unwrap_or(Values::Uniform))
            .collect();
        order.shuffle(random);
        let mut plan = Vec::new();
        for (shape, mut kind) in shapes.into_iter().zip(order) {
            let extents = self.complete(shape)?;
            // An empty problem reveals nothing.
            if extents.values().any(|extent| *extent == 0) {
                kind = Values::Uniform;
            }
            plan.push((extents, kind, random.random()));
        }
        // Kinds that met an empty problem, or a problem too small to reveal anything, get their own problem.
        for kind in kinds {
            let large = |(extents, met, _): &(Extents, Values, u64)| {
                met == kind && extents.values().all(|extent| *extent >= 4)
            };
            if !plan.iter().any(large) {
                plan.push((self.large_extents(random)?, *kind, random.random()));
            }
        }
        // Combines scalar choices with special numbers: 0 times NaN is NaN, except where a factor of 0 disables a
        // term.
        for (kind, alone) in [(Values::Nan, true), (Values::Inf, false), (Values::Uniform, false)] {
            if kinds.contains(&kind) {
                for seed in self.seeds_of_choices(alone, random) {
                    plan.push((self.large_extents(random)?, kind, seed));
                }
            }
        }
        plan.shuffle(random);
        Ok(plan)
    }

    /// Draws extents without tiny ones, if possible.
    fn large_extents(&self, random: &mut StdRng) -> Result<Extents, TaskError> {
        let mut extents = self.draw_extents(random)?;
        for _ in 0..64 {
            if extents.values().all(|extent| *extent >= 4) {
                break;
            }
            extents = self.draw_extents(random)?;
        }
        Ok(extents)
    }

    /// Draws extents log-uniformly, such that no array exceeds the element limit.
    fn draw_extents(&self, random: &mut StdRng) -> Result<Extents, TaskError> {
        let mut reach = self.limits.elements;
        loop {
            let mut extents = Extents::new();
            for extent in self.extents.iter().filter(|extent| extent.derived.is_none()) {
                let (low, high) = extent.range;
                let top = high.min(reach).max(low);
                let spread = ((top - low + 1) as f64).ln();
                let drawn = low + (random.random_range(0.0..1.0) * spread).exp() as u64 - 1;
                let step = extent.multiple_of;
                let value = drawn.next_multiple_of(step);
                let value = if value > top { drawn / step * step } else { value };
                extents.insert(extent.name.clone(), value.clamp(low.next_multiple_of(step), high));
            }
            let extents = self.complete(extents)?;
            let mut most = 0;
            for parameter in &self.parameters {
                if let ParameterKind::Array { shape, .. } = &parameter.kind {
                    most = most.max(self.shape(shape, &extents)?.iter().product::<u64>());
                }
            }
            if most <= self.limits.elements || reach <= 1 {
                return Ok(extents);
            }
            reach = reach * 3 / 4;
        }
    }

    /// Seeds that cover every choice of every scalar. With `alone`, each input alone has special numbers once.
    fn seeds_of_choices(&self, alone: bool, random: &mut StdRng) -> Vec<u64> {
        /// Number of seeds tried per problem.
        const LOOKED_AT: usize = 4096;
        let mut seeds: Vec<u64> = Vec::new();
        let counts = self.counts();
        let Some((inputs, of_scalars)) = counts.split_last() else { return seeds };
        let cases = if alone { *inputs } else { 1 };
        for input in 0..cases {
            for (number, count) in of_scalars.iter().enumerate() {
                for choice in 0..*count {
                    let has = |seed: &u64| {
                        let chosen = self.choices(*seed);
                        chosen[number] == choice && (!alone || chosen.last() == Some(&input))
                    };
                    if !seeds.iter().any(has) {
                        seeds.extend((0..LOOKED_AT).map(|_| random.random()).find(has));
                    }
                }
            }
        }
        seeds
    }
}

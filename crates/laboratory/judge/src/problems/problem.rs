//! Problems: extents, scalars and arrays, drawn from a seed. The plan has every edge, every kind of values and every
//! choice of a scalar at least once, the rest at random.

use crate::problems::Extents;
use crate::problems::values::{Request, draw};
use crate::task::{Element, Extent, ParameterKind, Role, Task, TaskError, Values};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// Mixed into the seed of the data to get the seed of the choices.
const CHOICES: u64 = 0x6368_6f69_6365;

/// A problem with its data in host memory.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The extents.
    pub extents: Extents,
    /// The kind of values.
    pub kind: Values,
    /// The seed of its data.
    pub seed: u64,
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<Argument>,
}

/// One argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// An array.
    Array {
        /// How the kernel may access it.
        role: Role,
        /// Its element type.
        element: Element,
        /// Its shape.
        shape: Vec<u64>,
        /// Its contents before the launch; empty if undefined.
        before: Vec<u8>,
    },
    /// A number.
    Scalar {
        /// Its bytes.
        bytes: Vec<u8>,
        /// The number.
        value: f64,
        /// The number as an integer.
        whole: i64,
    },
}

impl Argument {
    /// Bytes of the array, or of the number.
    pub fn bytes(&self) -> u64 {
        match self {
            Argument::Array { element, shape, .. } => {
                shape.iter().product::<u64>() * element.bytes() as u64
            }
            Argument::Scalar { bytes, .. } => bytes.len() as u64,
        }
    }
}

impl Problem {
    /// Elements of the arrays that a kernel must write.
    pub fn result_elements(&self) -> u64 {
        let elements = |argument: &Argument| match argument {
            Argument::Array { role: Role::Out | Role::InOut, shape, .. } => shape.iter().product(),
            _ => 0,
        };
        self.arguments.iter().map(elements).sum()
    }
}

impl Task {
    /// Draws the data of a problem.
    ///
    /// # Errors
    /// If an expression has no value for these extents.
    pub fn problem(&self, extents: Extents, kind: Values, seed: u64) -> Result<Problem, TaskError> {
        let mut random = StdRng::seed_from_u64(seed);
        let longest = extents.values().copied().max().unwrap_or(1);
        let choices = self.choices(seed);
        let mut chosen = choices.iter().copied();
        let alone = choices.last().copied().unwrap_or(0);
        let inputs = self.counts().last().map_or(0, |count| count - 1);
        let wide = random.random_range(0..inputs.max(1));
        let mut input = 0;
        let mut arguments = Vec::new();
        for parameter in &self.parameters {
            let element = parameter.element;
            arguments.push(match &parameter.kind {
                ParameterKind::Array { role, shape, range } => {
                    let shape = self.shape(shape, &extents)?;
                    let mut before = Vec::new();
                    if is_input(&parameter.kind) {
                        let ends = range.as_ref().map(|ends| {
                            let [low, high] = ends.as_ref();
                            let [low, high] = [low, high].map(|end| self.value(end, &extents));
                            Ok::<_, TaskError>((i128::from(low?), i128::from(high?)))
                        });
                        let request = Request {
                            kind,
                            count: shape.iter().product::<u64>() as usize,
                            longest,
                            wide: input == wide,
                            special: alone == input || alone == inputs,
                            range: ends.transpose()?,
                        };
                        input += 1;
                        before = draw(element, &request, &mut random);
                    }
                    Argument::Array { role: *role, element, shape, before }
                }
                ParameterKind::Computed(value) => {
                    let value = self.value(value, &extents)?;
                    scalar(element, value as f64, i128::from(value))
                }
                ParameterKind::Chosen(choices) => {
                    let value = chosen.next().map_or(choices[0], |at| choices[at]);
                    scalar(element, value, value as i128)
                }
                ParameterKind::Drawn(low, high) => {
                    let value = match kind {
                        // Integer factors keep sums of integers exact.
                        Values::Integers => *choose(&[1.0, 2.0, -1.0], *low, *high, &mut random),
                        _ => random.random_range(*low..*high),
                    };
                    scalar(element, value, value as i128)
                }
            });
        }
        Ok(Problem { extents, kind, seed, arguments })
    }

    /// The choices for this seed: one index per scalar with choices; the last index names the input that has special
    /// numbers, or equals the number of inputs if all have them.
    pub(crate) fn choices(&self, seed: u64) -> Vec<usize> {
        let mut random = StdRng::seed_from_u64(seed ^ CHOICES);
        self.counts().into_iter().map(|count| random.random_range(0..count)).collect()
    }

    /// The number of options of each choice.
    fn counts(&self) -> Vec<usize> {
        let of_scalars = self.parameters.iter().filter_map(|one| match &one.kind {
            ParameterKind::Chosen(choices) => Some(choices.len()),
            _ => None,
        });
        let inputs = self.parameters.iter().filter(|one| is_input(&one.kind)).count();
        of_scalars.chain([inputs + 1]).collect()
    }
}

fn is_input(kind: &ParameterKind) -> bool {
    matches!(kind, ParameterKind::Array { role: Role::In | Role::InOut, .. })
}

/// One of the numbers within the range; the midpoint of the range if none is.
fn choose<'a>(from: &'a [f64; 3], low: f64, high: f64, random: &mut StdRng) -> &'a f64 {
    let start = random.random_range(0..from.len());
    let fits = |at: &usize| (low..high).contains(&from[*at]);
    let found = (0..from.len()).map(|at| (start + at) % from.len()).find(fits);
    &from[found.unwrap_or(0)]
}

fn scalar(element: Element, value: f64, whole: i128) -> Argument {
    let mut bytes = Vec::new();
    match element.is_float() {
        true => element.put(value, &mut bytes),
        false => element.put_integer(whole, &mut bytes),
    }
    let (value, whole) = match element.is_float() {
        true => (element.read(&bytes), element.read(&bytes) as i64),
        false => (element.read(&bytes), element.read_integer(&bytes) as i64),
    };
    Argument::Scalar { bytes, value, whole }
}

impl Task {
    /// The extents and kinds of the test problems: every edge, every extent's largest value and every kind at least once,
    /// in random order.
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
            if extent.derived.is_none() {
                shapes.push(self.largest(extent, random)?);
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

    /// Draws extents with the largest value of one: the end of its range, or the largest for which no array exceeds the
    /// element limit.
    fn largest(&self, extent: &Extent, random: &mut StdRng) -> Result<Extents, TaskError> {
        let (low, high) = extent.range;
        let step = extent.multiple_of;
        let mut value = high / step * step;
        loop {
            let extents = self.draw_with(Some((&extent.name, value)), random)?;
            if self.most_elements(&extents)? <= self.limits.elements || value <= low + step {
                return Ok(extents);
            }
            value = (value - value.div_ceil(16)).max(low + step - 1) / step * step;
        }
    }

    /// Elements of the largest array.
    fn most_elements(&self, extents: &Extents) -> Result<u64, TaskError> {
        let mut most = 0;
        for parameter in &self.parameters {
            if let ParameterKind::Array { shape, .. } = &parameter.kind {
                most = most.max(self.shape(shape, extents)?.iter().product::<u64>());
            }
        }
        Ok(most)
    }

    /// Draws extents log-uniformly, such that no array exceeds the element limit.
    fn draw_extents(&self, random: &mut StdRng) -> Result<Extents, TaskError> {
        self.draw_with(None, random)
    }

    /// The same with a given value of one extent.
    fn draw_with(
        &self,
        given: Option<(&str, u64)>,
        random: &mut StdRng,
    ) -> Result<Extents, TaskError> {
        let mut reach = self.limits.elements;
        loop {
            let mut extents = Extents::new();
            for extent in self.extents.iter().filter(|extent| extent.derived.is_none()) {
                if let Some((name, value)) = given.filter(|(name, _)| *name == extent.name) {
                    extents.insert(name.to_owned(), value);
                    continue;
                }
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
            if self.most_elements(&extents)? <= self.limits.elements || reach <= 1 {
                return Ok(extents);
            }
            reach = reach * 3 / 4;
        }
    }

    /// Seeds that cover every choice of every scalar. With `alone`, each input once is the only one with special numbers.
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

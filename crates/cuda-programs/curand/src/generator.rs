//! A generator: kind, settings and sequence. Each new setting restarts the sequence at the next call.

use crate::generators::sobol::Sobol;
use crate::generators::vectors::DIMENSIONS;
use crate::generators::{mrg32k3a, mt19937, mtgp32, philox, xorwow};
use crate::kind::{GeneratorKind, LEGACY};
use crate::poisson::{MOST, Poisson};
use crate::sequence::Sequence;
use crate::status::{Result, Status, refuse};

/// A generator.
pub struct Generator {
    kind: GeneratorKind,
    pub host: bool,
    pub stream: usize,
    seed: u64,
    offset: u64,
    order: i32,
    dimensions: usize,
    sequence: Option<Box<dyn Sequence>>,
}

/// Distribution and type of the requested numbers.
#[derive(Clone, Copy, Debug)]
pub enum DrawRequest {
    Bits,
    WideBits,
    Uniform,
    UniformDouble,
    Normal { mean: f32, deviation: f32 },
    NormalDouble { mean: f64, deviation: f64 },
    LogNormal { mean: f32, deviation: f32 },
    LogNormalDouble { mean: f64, deviation: f64 },
    Poisson { mean: f64 },
}

impl DrawRequest {
    /// Bytes of one number.
    pub fn size(self) -> usize {
        use DrawRequest::{LogNormalDouble, NormalDouble, UniformDouble, WideBits};
        match self {
            WideBits | UniformDouble | NormalDouble { .. } | LogNormalDouble { .. } => 8,
            _ => 4,
        }
    }
}

impl Generator {
    /// A generator for host or device memory, with cuRAND's default settings.
    pub fn new(kind: GeneratorKind, host: bool) -> Generator {
        let order = if kind.is_quasi() { 201 } else { 101 };
        Generator {
            kind,
            host,
            stream: 0,
            seed: 0,
            offset: 0,
            order,
            dimensions: 1,
            sequence: None,
        }
    }

    /// Sets the seed.
    ///
    /// # Errors
    /// If the generator is quasirandom.
    pub fn set_seed(&mut self, seed: u64) -> Result {
        if self.kind.is_quasi() {
            return refuse(Status::TypeError, "quasirandom generators have no seed");
        }
        (self.seed, self.sequence) = (seed, None);
        Ok(())
    }

    /// Sets the index of the next number in the sequence.
    ///
    /// # Errors
    /// If it is a Mersenne Twister, which cannot skip numbers.
    pub fn set_offset(&mut self, offset: u64) -> Result {
        if matches!(self.kind, GeneratorKind::Mtgp32 | GeneratorKind::Mt19937) {
            return refuse(Status::TypeError, "MTGP32 and MT19937 have no offset");
        }
        (self.offset, self.sequence) = (offset, None);
        Ok(())
    }

    /// Sets the order of results.
    ///
    /// # Errors
    /// If the kind does not have this order.
    pub fn set_order(&mut self, order: i32) -> Result {
        if !self.kind.takes_order(order, self.host) {
            let why = format!("{:?} has no ordering {order} here", self.kind);
            return refuse(Status::OutOfRange, &why);
        }
        (self.order, self.sequence) = (order, None);
        Ok(())
    }

    /// Sets the number of dimensions of a quasirandom generator.
    ///
    /// # Errors
    /// If the generator is pseudorandom, or the number is out of range.
    pub fn set_dimensions(&mut self, dimensions: u32) -> Result {
        if !self.kind.is_quasi() {
            return refuse(Status::TypeError, "pseudorandom generators have no dimensions");
        }
        if !(1..=DIMENSIONS as u32).contains(&dimensions) {
            let why = format!("{dimensions} dimensions; it must be 1 to {DIMENSIONS}");
            return refuse(Status::OutOfRange, &why);
        }
        (self.dimensions, self.sequence) = (dimensions as usize, None);
        Ok(())
    }

    /// The sequence; starts it if necessary.
    pub fn sequence(&mut self) -> &mut dyn Sequence {
        let (seed, offset) = (self.seed, self.offset);
        let start = || -> Box<dyn Sequence> {
            match self.kind {
                GeneratorKind::Xorwow => Box::new(xorwow::sequence(seed, offset)),
                GeneratorKind::Mrg32k3a => {
                    Box::new(mrg32k3a::sequence(seed, offset, self.order == LEGACY))
                }
                GeneratorKind::Mtgp32 => Box::new(mtgp32::sequence(seed, self.order == LEGACY)),
                GeneratorKind::Mt19937 => Box::new(mt19937::sequence(seed)),
                GeneratorKind::Philox => Box::new(philox::Philox::new(seed, offset)),
                GeneratorKind::Sobol { wide, scrambled } => {
                    Box::new(Sobol { wide, scrambled, dimensions: self.dimensions, point: offset })
                }
            }
        };
        self.sequence.get_or_insert_with(start).as_mut()
    }

    /// Checks a request before any number is drawn.
    ///
    /// # Errors
    /// If the count or the type does not fit, or a parameter is out of range.
    pub fn check(&self, wanted: DrawRequest, count: usize) -> Result {
        let wide = matches!(self.kind, GeneratorKind::Sobol { wide: true, .. });
        match wanted {
            DrawRequest::Bits if wide => {
                return refuse(
                    Status::TypeError,
                    "a 64-bit generator gives no 32-bit numbers; call curandGenerateLongLong",
                );
            }
            DrawRequest::WideBits if !wide => {
                return refuse(
                    Status::TypeError,
                    "curandGenerateLongLong is for 64-bit quasirandom generators; call curandGenerate",
                );
            }
            DrawRequest::Poisson { mean } if !(mean > 0.0 && mean <= MOST) => {
                let why = format!("lambda is {mean}; it must be above 0 and at most {MOST}");
                return refuse(Status::OutOfRange, &why);
            }
            _ => {}
        }
        let normal = matches!(
            wanted,
            DrawRequest::Normal { .. }
                | DrawRequest::NormalDouble { .. }
                | DrawRequest::LogNormal { .. }
                | DrawRequest::LogNormalDouble { .. }
        );
        // The others give normal numbers one at a time.
        if normal
            && matches!(self.kind, GeneratorKind::Xorwow | GeneratorKind::Mrg32k3a)
            && count % 2 == 1
        {
            let why =
                format!("{count} normal numbers; they come in pairs, so the count must be even");
            return refuse(Status::LengthNotMultiple, &why);
        }
        if !count.is_multiple_of(self.dimensions) {
            let why = format!(
                "{count} numbers of {} dimensions; the count must be a multiple of the dimensions",
                self.dimensions
            );
            return refuse(Status::LengthNotMultiple, &why);
        }
        Ok(())
    }

    /// The next numbers, as bytes.
    ///
    /// # Errors
    /// As [`Generator::check`].
    pub fn generate(&mut self, wanted: DrawRequest, count: usize) -> Result<Vec<u8>> {
        self.check(wanted, count)?;
        let sequence = self.sequence();
        match wanted {
            DrawRequest::Bits => {
                numbers(count, |to: &mut [u32]| sequence.bits(to), |v| v.to_ne_bytes())
            }
            DrawRequest::WideBits => {
                numbers(count, |to: &mut [u64]| sequence.wide_bits(to), |v| v.to_ne_bytes())
            }
            DrawRequest::Uniform => {
                numbers(count, |to: &mut [f32]| sequence.uniform(to), |v| v.to_ne_bytes())
            }
            DrawRequest::UniformDouble => {
                numbers(count, |to: &mut [f64]| sequence.uniform_double(to), |v| v.to_ne_bytes())
            }
            DrawRequest::Normal { mean, deviation } => numbers(
                count,
                |to: &mut [f32]| sequence.normal(to),
                |v| (v * deviation + mean).to_ne_bytes(),
            ),
            DrawRequest::NormalDouble { mean, deviation } => numbers(
                count,
                |to: &mut [f64]| sequence.normal_double(to),
                |v| (v * deviation + mean).to_ne_bytes(),
            ),
            DrawRequest::LogNormal { mean, deviation } => numbers(
                count,
                |to: &mut [f32]| sequence.normal(to),
                |v| (v * deviation + mean).exp().to_ne_bytes(),
            ),
            DrawRequest::LogNormalDouble { mean, deviation } => numbers(
                count,
                |to: &mut [f64]| sequence.normal_double(to),
                |v| (v * deviation + mean).exp().to_ne_bytes(),
            ),
            DrawRequest::Poisson { mean } => {
                let mut uniform = vec![0.0; count];
                sequence.uniform_double(&mut uniform)?;
                let counts = Poisson::new(mean).invert(&uniform);
                Ok(counts.into_iter().flat_map(u32::to_ne_bytes).collect())
            }
        }
    }
}

/// Draws numbers and converts each.
fn numbers<T: Copy + Default, const N: usize>(
    count: usize,
    draw: impl FnOnce(&mut [T]) -> Result,
    made: impl Fn(T) -> [u8; N],
) -> Result<Vec<u8>> {
    let mut drawn = vec![T::default(); count];
    draw(&mut drawn)?;
    Ok(drawn.into_iter().flat_map(made).collect())
}

#[cfg(test)]
mod tests;

//! A generator: kind, order of results, settings and sequence, identified by cuRAND's numbers. Each new setting
//! restarts the sequence at the next call.

use crate::distribution::{MOST, Poisson};
use crate::generators::Sequence;
use crate::generators::multiplicative::{Mrg32k3a, Philox};
use crate::generators::shift_registers::{Mt19937, Mtgp32, Xorwow};
use crate::generators::sobol::{DIMENSIONS, Sobol};
use crate::{Result, Status, refuse};

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
    /// Bytes per number.
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

    /// Returns the sequence; starts it if necessary.
    pub fn sequence(&mut self) -> &mut dyn Sequence {
        let (seed, offset) = (self.seed, self.offset);
        let start = || -> Box<dyn Sequence> {
            match self.kind {
                GeneratorKind::Xorwow => Box::new(Xorwow::sequence(seed, offset)),
                GeneratorKind::Mrg32k3a => {
                    Box::new(Mrg32k3a::sequence(seed, offset, self.order == LEGACY))
                }
                GeneratorKind::Mtgp32 => Box::new(Mtgp32::sequence(seed, self.order == LEGACY)),
                GeneratorKind::Mt19937 => Box::new(Mt19937::sequence(seed)),
                GeneratorKind::Philox => Box::new(Philox::new(seed, offset)),
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
    /// If the generator cannot produce this count or type, or a parameter is out of range.
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
        // The other kinds produce normal numbers one by one.
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

/// `curandRngType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorKind {
    Xorwow,
    Mrg32k3a,
    Mtgp32,
    Mt19937,
    Philox,
    Sobol { wide: bool, scrambled: bool },
}

impl GeneratorKind {
    /// The kind with a number; the defaults are XORWOW and Sobol32.
    pub fn of(number: i32) -> Option<GeneratorKind> {
        Some(match number {
            100 | 101 => GeneratorKind::Xorwow,
            121 => GeneratorKind::Mrg32k3a,
            141 => GeneratorKind::Mtgp32,
            142 => GeneratorKind::Mt19937,
            161 => GeneratorKind::Philox,
            200 | 201 => GeneratorKind::Sobol { wide: false, scrambled: false },
            202 => GeneratorKind::Sobol { wide: false, scrambled: true },
            203 => GeneratorKind::Sobol { wide: true, scrambled: false },
            204 => GeneratorKind::Sobol { wide: true, scrambled: true },
            _ => return None,
        })
    }

    /// Whether it is a quasirandom generator.
    pub fn is_quasi(self) -> bool {
        matches!(self, GeneratorKind::Sobol { .. })
    }

    /// Whether the kind supports an order of results, on the host or on a device.
    pub fn takes_order(self, order: i32, host: bool) -> bool {
        match order {
            100 => !self.is_quasi() && (!host || self != GeneratorKind::Mt19937),
            101 | 103 => !self.is_quasi(),
            102 => self == GeneratorKind::Xorwow,
            104 => !self.is_quasi() && !host,
            201 => self.is_quasi(),
            _ => false,
        }
    }
}

/// `CURAND_ORDERING_PSEUDO_LEGACY`.
pub const LEGACY: i32 = 103;

#[cfg(test)]
mod tests {
    use super::{DrawRequest, Generator};
    use crate::generator::GeneratorKind;

    const COUNT: usize = 1 << 15;

    /// Mean and variance of a generator's numbers.
    fn moments(kind: GeneratorKind, wanted: DrawRequest) -> (f64, f64) {
        let mut generator = Generator::new(kind, true);
        let bytes = generator.generate(wanted, COUNT).expect("numbers");
        let numbers: Vec<f64> = match (wanted, wanted.size()) {
            (DrawRequest::Poisson { .. }, _) => bytes
                .chunks(4)
                .map(|part| u32::from_ne_bytes(part.try_into().unwrap()).into())
                .collect(),
            (_, 4) => bytes
                .chunks(4)
                .map(|part| f32::from_ne_bytes(part.try_into().unwrap()).into())
                .collect(),
            _ => bytes.chunks(8).map(|part| f64::from_ne_bytes(part.try_into().unwrap())).collect(),
        };
        let mean = numbers.iter().sum::<f64>() / COUNT as f64;
        let variance =
            numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / COUNT as f64;
        (mean, variance)
    }

    #[test]
    fn every_kind_has_the_moments_of_every_distribution() {
        for number in [101, 121, 141, 142, 161, 201, 202, 203, 204] {
            let kind = GeneratorKind::of(number).unwrap();
            let log = ((0.5f64).exp(), (1f64.exp() - 1.0) * 1f64.exp());
            for (wanted, (mean, variance)) in [
                (DrawRequest::Uniform, (0.5, 1.0 / 12.0)),
                (DrawRequest::UniformDouble, (0.5, 1.0 / 12.0)),
                (DrawRequest::Normal { mean: 3.0, deviation: 2.0 }, (3.0, 4.0)),
                (DrawRequest::NormalDouble { mean: -1.0, deviation: 0.5 }, (-1.0, 0.25)),
                (DrawRequest::LogNormal { mean: 0.0, deviation: 1.0 }, log),
                (DrawRequest::LogNormalDouble { mean: 0.0, deviation: 1.0 }, log),
                (DrawRequest::Poisson { mean: 6.5 }, (6.5, 6.5)),
                (DrawRequest::Poisson { mean: 3000.0 }, (3000.0, 3000.0)),
            ] {
                let (got_mean, got_variance) = moments(kind, wanted);
                // Five standard errors of a mean, and 6 % of a variance (40 % where its tail is heavy).
                let error = 5.0 * (variance / COUNT as f64).sqrt();
                let heavy = matches!(
                    wanted,
                    DrawRequest::LogNormal { .. } | DrawRequest::LogNormalDouble { .. }
                );
                let share = if heavy { 0.4 } else { 0.06 };
                assert!((got_mean - mean).abs() < error, "{kind:?} {wanted:?}: mean {got_mean}");
                let off = (got_variance / variance - 1.0).abs();
                assert!(off < share, "{kind:?} {wanted:?}: variance {got_variance}");
            }
        }
    }

    #[test]
    fn settings_restart_the_sequence_and_calls_continue_it() {
        let mut generator = Generator::new(GeneratorKind::Xorwow, true);
        generator.set_seed(5).unwrap();
        let first = generator.generate(DrawRequest::Bits, 10).unwrap();
        assert_ne!(generator.generate(DrawRequest::Bits, 10).unwrap(), first);
        generator.set_seed(5).unwrap();
        assert_eq!(generator.generate(DrawRequest::Bits, 10).unwrap(), first);
        generator.set_seed(6).unwrap();
        assert_ne!(generator.generate(DrawRequest::Bits, 10).unwrap(), first);
    }
}

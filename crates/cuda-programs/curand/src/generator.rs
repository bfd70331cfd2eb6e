//! A generator: its kind, its settings, and the sequence that they start. A setting starts it anew at the next call.

use crate::kind::{Kind, LEGACY};
use crate::poisson::{MOST, Poisson};
use crate::sequence::Sequence;
use crate::sobol::Sobol;
use crate::status::{Result, Status, refuse};
use crate::vectors::DIMENSIONS;
use crate::{mrg32k3a, mt19937, mtgp32, philox, xorwow};

/// A generator.
pub struct Generator {
    kind: Kind,
    pub host: bool,
    pub stream: usize,
    seed: u64,
    offset: u64,
    order: i32,
    dimensions: usize,
    sequence: Option<Box<dyn Sequence>>,
}

/// What a call wants.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
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

impl Wanted {
    /// Bytes of one number.
    pub fn size(self) -> usize {
        use Wanted::{LogNormalDouble, NormalDouble, UniformDouble, WideBits};
        match self {
            WideBits | UniformDouble | NormalDouble { .. } | LogNormalDouble { .. } => 8,
            _ => 4,
        }
    }
}

impl Generator {
    /// A generator on the host or a device, with cuRAND's default settings.
    pub fn new(kind: Kind, host: bool) -> Generator {
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
    /// When it is a quasirandom generator.
    pub fn set_seed(&mut self, seed: u64) -> Result {
        if self.kind.is_quasi() {
            return refuse(Status::TypeError, "quasirandom generators take no seed");
        }
        (self.seed, self.sequence) = (seed, None);
        Ok(())
    }

    /// Sets the place of the next number in the sequence.
    ///
    /// # Errors
    /// When it is a Mersenne Twister, which cannot skip numbers.
    pub fn set_offset(&mut self, offset: u64) -> Result {
        if matches!(self.kind, Kind::Mtgp32 | Kind::Mt19937) {
            return refuse(Status::TypeError, "MTGP32 and MT19937 take no offset");
        }
        (self.offset, self.sequence) = (offset, None);
        Ok(())
    }

    /// Sets the order of results.
    ///
    /// # Errors
    /// When the kind has no such order.
    pub fn set_order(&mut self, order: i32) -> Result {
        if !self.kind.takes_order(order, self.host) {
            let why = format!("{:?} has no ordering {order} here", self.kind);
            return refuse(Status::OutOfRange, &why);
        }
        (self.order, self.sequence) = (order, None);
        Ok(())
    }

    /// Sets the dimensions of a quasirandom generator.
    ///
    /// # Errors
    /// When it is another, or there are not so many.
    pub fn set_dimensions(&mut self, dimensions: u32) -> Result {
        if !self.kind.is_quasi() {
            return refuse(Status::TypeError, "pseudorandom generators have no dimensions");
        }
        if !(1..=DIMENSIONS as u32).contains(&dimensions) {
            let why = format!("{dimensions} dimensions; from 1 to {DIMENSIONS} there are");
            return refuse(Status::OutOfRange, &why);
        }
        (self.dimensions, self.sequence) = (dimensions as usize, None);
        Ok(())
    }

    /// The sequence, started where it is not.
    pub fn sequence(&mut self) -> &mut dyn Sequence {
        let (seed, offset) = (self.seed, self.offset);
        let start = || -> Box<dyn Sequence> {
            match self.kind {
                Kind::Xorwow => Box::new(xorwow::sequence(seed, offset)),
                Kind::Mrg32k3a => Box::new(mrg32k3a::sequence(seed, offset, self.order == LEGACY)),
                Kind::Mtgp32 => Box::new(mtgp32::sequence(seed, self.order == LEGACY)),
                Kind::Mt19937 => Box::new(mt19937::sequence(seed)),
                Kind::Philox => Box::new(philox::Philox::new(seed, offset)),
                Kind::Sobol { wide, scrambled } => {
                    Box::new(Sobol { wide, scrambled, dimensions: self.dimensions, point: offset })
                }
            }
        };
        self.sequence.get_or_insert_with(start).as_mut()
    }

    /// Refuses what the generator does not give, before anything is drawn.
    ///
    /// # Errors
    /// When the count or the type does not fit, or a parameter is out of range.
    pub fn check(&self, wanted: Wanted, count: usize) -> Result {
        let wide = matches!(self.kind, Kind::Sobol { wide: true, .. });
        match wanted {
            Wanted::Bits if wide => {
                return refuse(
                    Status::TypeError,
                    "a generator of 64 bits gives none of 32; call curandGenerateLongLong",
                );
            }
            Wanted::WideBits if !wide => {
                return refuse(
                    Status::TypeError,
                    "curandGenerateLongLong is for quasirandom generators of 64 bits; call curandGenerate",
                );
            }
            Wanted::Poisson { mean } if !(mean > 0.0 && mean <= MOST) => {
                let why = format!("lambda is {mean}; it has to be above 0 and not above {MOST}");
                return refuse(Status::OutOfRange, &why);
            }
            _ => {}
        }
        let normal = matches!(
            wanted,
            Wanted::Normal { .. }
                | Wanted::NormalDouble { .. }
                | Wanted::LogNormal { .. }
                | Wanted::LogNormalDouble { .. }
        );
        // The others give normal numbers one by one.
        if normal && matches!(self.kind, Kind::Xorwow | Kind::Mrg32k3a) && count % 2 == 1 {
            let why =
                format!("{count} normal numbers; they come in pairs, so ask for an even count");
            return refuse(Status::LengthNotMultiple, &why);
        }
        if !count.is_multiple_of(self.dimensions) {
            let why = format!(
                "{count} numbers of {} dimensions; the count has to be a multiple of these",
                self.dimensions
            );
            return refuse(Status::LengthNotMultiple, &why);
        }
        Ok(())
    }

    /// The next numbers, as bytes.
    ///
    /// # Errors
    /// What `check` refuses.
    pub fn generate(&mut self, wanted: Wanted, count: usize) -> Result<Vec<u8>> {
        self.check(wanted, count)?;
        let sequence = self.sequence();
        match wanted {
            Wanted::Bits => numbers(count, |to: &mut [u32]| sequence.bits(to), |v| v.to_ne_bytes()),
            Wanted::WideBits => {
                numbers(count, |to: &mut [u64]| sequence.wide_bits(to), |v| v.to_ne_bytes())
            }
            Wanted::Uniform => {
                numbers(count, |to: &mut [f32]| sequence.uniform(to), |v| v.to_ne_bytes())
            }
            Wanted::UniformDouble => {
                numbers(count, |to: &mut [f64]| sequence.uniform_double(to), |v| v.to_ne_bytes())
            }
            Wanted::Normal { mean, deviation } => numbers(
                count,
                |to: &mut [f32]| sequence.normal(to),
                |v| (v * deviation + mean).to_ne_bytes(),
            ),
            Wanted::NormalDouble { mean, deviation } => numbers(
                count,
                |to: &mut [f64]| sequence.normal_double(to),
                |v| (v * deviation + mean).to_ne_bytes(),
            ),
            Wanted::LogNormal { mean, deviation } => numbers(
                count,
                |to: &mut [f32]| sequence.normal(to),
                |v| (v * deviation + mean).exp().to_ne_bytes(),
            ),
            Wanted::LogNormalDouble { mean, deviation } => numbers(
                count,
                |to: &mut [f64]| sequence.normal_double(to),
                |v| (v * deviation + mean).exp().to_ne_bytes(),
            ),
            Wanted::Poisson { mean } => {
                let mut uniform = vec![0.0; count];
                sequence.uniform_double(&mut uniform)?;
                let counts = Poisson::new(mean).invert(&uniform);
                Ok(counts.into_iter().flat_map(u32::to_ne_bytes).collect())
            }
        }
    }
}

/// Numbers that are drawn, and made what is wanted.
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

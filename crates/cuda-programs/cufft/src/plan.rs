//! Plans: the kind, the sizes and the layouts of a transform.

use crate::kind::{TransformForm, TransformKind};
use crate::layout::Layout;
use crate::status::{Result, Status, refuse};

/// Layout arguments of one side.
#[derive(Clone, Debug)]
pub struct SideLayout {
    pub extents: Vec<i64>,
    pub stride: i64,
    pub distance: i64,
}

/// Arguments of a plan. Without layouts, both sides are dense.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    pub kind: TransformKind,
    pub sizes: Vec<i64>,
    pub layouts: Option<[SideLayout; 2]>,
    pub batch: i64,
}

/// A plan.
#[derive(Debug)]
pub struct Plan {
    pub kind: TransformKind,
    pub sizes: Vec<usize>,
    pub batch: usize,
    /// Layouts of the input and the output.
    sides: [Layout; 2],
    /// Layouts for in-place transforms, where rows of real numbers are padded to hold their spectrum.
    in_place: [Layout; 2],
}

/// Maximum elements of a plan: their bytes must fit the address space.
const MOST: usize = 1 << 56;

impl Plan {
    /// Checks the arguments and makes a plan.
    ///
    /// # Errors
    /// If a size, a stride or the batch is out of range, or the type has no transform of these sizes.
    pub fn new(wanted: &PlanRequest) -> Result<Plan> {
        let PlanRequest { kind, layouts, .. } = wanted;
        if !(1..=3).contains(&wanted.sizes.len()) {
            let why = format!("a transform has 1 to 3 dimensions, not {}", wanted.sizes.len());
            return refuse(Status::InvalidValue, &why);
        }
        let sizes = positive(&wanted.sizes, "a size")?;
        let batch = positive(&[wanted.batch], "the batch")?[0];
        fits(sizes.iter().try_fold(batch, |all, size| all.checked_mul(*size)))?;
        if kind.precision.bytes() == 2 && !sizes.iter().all(|size| size.is_power_of_two()) {
            let why =
                format!("sizes {sizes:?}: cuFFT transforms 16-bit floats only in powers of 2");
            return refuse(Status::InvalidSize, &why);
        }
        let mut half = sizes.clone();
        let last = half.len() - 1;
        half[last] = sizes[last] / 2 + 1;
        let shapes = match kind.form {
            TransformForm::ComplexToComplex => [&sizes, &sizes],
            TransformForm::RealToComplex => [&sizes, &half],
            TransformForm::ComplexToReal => [&half, &sizes],
        };
        let (sides, in_place) = match layouts {
            Some(given) => {
                let side = |at: usize| embedded(&given[at], shapes[at], ["in", "out"][at]);
                let sides = [side(0)?, side(1)?];
                (sides.clone(), sides)
            }
            None => {
                let padded = |at: usize| match kind.complex()[at] {
                    true => shapes[at][last],
                    false => 2 * half[last],
                };
                let dense = |padded: [usize; 2]| -> Result<[Layout; 2]> {
                    let side = |at: usize| fits(Layout::dense(shapes[at], padded[at]));
                    Ok([side(0)?, side(1)?])
                };
                (dense([shapes[0][last], shapes[1][last]])?, dense([padded(0), padded(1)])?)
            }
        };
        let plan = Plan { kind: *kind, sizes, batch, sides, in_place };
        for layout in plan.sides.iter().chain(&plan.in_place) {
            fits(layout.span(batch))?;
        }
        Ok(plan)
    }

    /// Layouts of the input and the output; `in_place` if both are at one address.
    pub fn sides(&self, in_place: bool) -> &[Layout; 2] {
        if in_place { &self.in_place } else { &self.sides }
    }

    /// Bytes of an element of the input and of the output.
    pub fn element_sizes(&self) -> [usize; 2] {
        self.kind.complex().map(|complex| self.kind.precision.bytes() * (1 + usize::from(complex)))
    }

    /// Reported bytes of the work area: the complex numbers of a transform. NVIDIA's size depends on the GPU.
    pub fn work(&self) -> usize {
        let side = usize::from(self.kind.form == TransformForm::RealToComplex);
        self.sides[side].count() * self.batch * 2 * self.kind.precision.bytes().max(4)
    }
}

/// Checks that all numbers are positive.
fn positive(numbers: &[i64], what: &str) -> Result<Vec<usize>> {
    let number = |number: &i64| match usize::try_from(*number) {
        Ok(number) if number > 0 => Ok(number),
        _ => refuse(Status::InvalidSize, &format!("{what} is {number}; it must be at least 1")),
    };
    numbers.iter().map(number).collect()
}

/// Refuses overflows and plans larger than memory.
fn fits<T: Bounded>(computed: Option<T>) -> Result<T> {
    match computed {
        Some(computed) if computed.elements() <= MOST => Ok(computed),
        _ => refuse(Status::InvalidSize, "the plan is larger than any memory"),
    }
}

/// Sizes in elements.
trait Bounded {
    fn elements(&self) -> usize;
}

impl Bounded for usize {
    fn elements(&self) -> usize {
        *self
    }
}

impl Bounded for Layout {
    fn elements(&self) -> usize {
        self.span(1).unwrap_or(usize::MAX)
    }
}

fn embedded(given: &SideLayout, sizes: &[usize], side: &str) -> Result<Layout> {
    let mut extents = vec![1];
    extents.extend(positive(&given.extents[1..], &format!("an element of {side}embed"))?);
    let stride = positive(&[given.stride], &format!("{side}put's stride"))?[0];
    let Ok(distance) = usize::try_from(given.distance) else {
        let why = format!("{side}put's distance is {}; it must be at least 0", given.distance);
        return refuse(Status::InvalidSize, &why);
    };
    fits(Layout::embedded(sizes, &extents, stride, distance))
}

#[cfg(test)]
mod tests {
    use super::{Plan, PlanRequest, SideLayout};
    use crate::kind::TransformKind;
    use crate::status::Status;

    fn plan(
        kind: i32,
        sizes: &[i64],
        layouts: Option<[SideLayout; 2]>,
        batch: i64,
    ) -> Result<Plan, Status> {
        Plan::new(&PlanRequest {
            kind: TransformKind::of(kind)?,
            sizes: sizes.to_vec(),
            layouts,
            batch,
        })
    }

    #[test]
    fn rows_of_real_numbers_are_padded_in_place() {
        let made = plan(0x2a, &[3, 5], None, 2).unwrap();
        let spans = |in_place| made.sides(in_place).each_ref().map(|side| side.span(2).unwrap());
        assert_eq!((spans(false), spans(true)), ([30, 18], [35, 18]));
        assert_eq!((made.element_sizes(), made.work()), ([4, 8], 18 * 8));
        let back = plan(0x6c, &[3, 5], None, 1).unwrap();
        assert_eq!((back.element_sizes(), back.work()), ([16, 8], 9 * 16));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let given = |extents: &[i64], stride, distance| SideLayout {
            extents: extents.to_vec(),
            stride,
            distance,
        };
        let status = |made: Result<Plan, Status>| made.err();
        assert_eq!(status(plan(0x29, &[], None, 1)), Some(Status::InvalidValue));
        assert_eq!(status(plan(0x29, &[2; 4], None, 1)), Some(Status::InvalidValue));
        for (sizes, batch) in [
            ([0, 4], 1),
            ([4, -1], 1),
            ([4, 4], 0),
            ([1 << 40, 1 << 40], 1),
            ([1 << 30, 1 << 20], 1 << 20),
        ] {
            assert_eq!(
                status(plan(0x29, &sizes, None, batch)),
                Some(Status::InvalidSize),
                "{sizes:?} {batch}"
            );
        }
        for wrong in [
            given(&[4, 0], 1, 16),
            given(&[4, 4], 0, 16),
            given(&[4, 4], 1, -1),
            given(&[4, 1 << 40], 1 << 40, 0),
        ] {
            let right = given(&[0, 4], 1, 16);
            assert_eq!(
                status(plan(0x29, &[4, 4], Some([right.clone(), wrong.clone()]), 1)),
                Some(Status::InvalidSize),
                "{wrong:?}"
            );
            assert_eq!(
                status(plan(0x29, &[4, 4], Some([wrong.clone(), right]), 1)),
                Some(Status::InvalidSize),
                "{wrong:?}"
            );
        }
        // Overlapping rows.
        let flat = given(&[1, 1], 1, 0);
        assert_eq!(
            status(plan(0x29, &[1 << 40, 1 << 40], Some([flat.clone(), flat]), 1)),
            Some(Status::InvalidSize)
        );
        let half = |size| {
            Plan::new(&PlanRequest {
                kind: TransformKind::between(6, 6, 6).unwrap(),
                sizes: vec![size],
                layouts: None,
                batch: 1,
            })
        };
        assert_eq!((status(half(12)), status(half(16))), (Some(Status::InvalidSize), None));
    }
}

//! Plans: the kind, the sizes and the layouts of a transform. A kind has real or complex input and output, in one precision.
//! A layout has a step for each dimension, and the distance between the transforms of a batch, in elements.

use crate::{Result, Status, refuse};
use lanework_numbers::{DataType, NumberType};

/// Real or complex input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformForm {
    ComplexToComplex,
    RealToComplex,
    ComplexToReal,
}

/// A kind of transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformKind {
    pub form: TransformForm,
    /// Type of real numbers in memory. Types narrower than f32 are transformed in f32.
    pub precision: NumberType,
}

impl TransformKind {
    /// The kind of a `cufftType`.
    ///
    /// # Errors
    /// If the type is unknown.
    pub fn of(number: i32) -> Result<TransformKind> {
        let form = match number & 0xf {
            0x9 => TransformForm::ComplexToComplex,
            0xa => TransformForm::RealToComplex,
            0xc => TransformForm::ComplexToReal,
            _ => return refuse(Status::InvalidType, &format!("there is no cufftType {number:#x}")),
        };
        let precision = match number & !0xf {
            0x20 => NumberType::F32,
            0x60 => NumberType::F64,
            _ => return refuse(Status::InvalidType, &format!("there is no cufftType {number:#x}")),
        };
        Ok(TransformKind { form, precision })
    }

    /// The kind of a transform between two types (`cudaDataType`), computed in a third type.
    ///
    /// # Errors
    /// If cuFFT does not have this transform.
    pub fn between(from: i32, to: i32, computed: i32) -> Result<TransformKind> {
        let form = |from: DataType, to: DataType| match (from.is_complex, to.is_complex) {
            (true, true) => Some(TransformForm::ComplexToComplex),
            (false, true) => Some(TransformForm::RealToComplex),
            (true, false) => Some(TransformForm::ComplexToReal),
            (false, false) => None,
        };
        if let [Some(one), Some(other), Some(third)] = [from, to, computed].map(element)
            && one.part == other.part
            && one.part == third.part
            && let Some(form) = form(one, other)
        {
            return Ok(TransformKind { form, precision: one.part });
        }
        let why = format!(
            "there is no transform from cudaDataType {from} to {to} computed in {computed}; both sides and the computation have one \
             precision (16-bit, bfloat16, 32-bit or 64-bit), and one side at least is complex"
        );
        refuse(Status::InvalidType, &why)
    }

    /// Whether input and output are complex.
    pub fn complex(self) -> [bool; 2] {
        [self.form != TransformForm::RealToComplex, self.form != TransformForm::ComplexToReal]
    }
}

/// The element type of a `cudaDataType`, if cuFFT has it.
fn element(number: i32) -> Option<DataType> {
    DataType::from_code(number).filter(|of| of.part.is_float())
}

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

/// Maximum number of elements of a plan: their bytes must fit in the address space.
const MOST: usize = 1 << 56;

impl Plan {
    /// Checks the arguments and creates a plan.
    ///
    /// # Errors
    /// If a size, a stride or the batch is out of range, or the type does not support these sizes.
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

    /// Layouts of the input and the output; `in_place` if both have the same address.
    pub fn sides(&self, in_place: bool) -> &[Layout; 2] {
        if in_place { &self.in_place } else { &self.sides }
    }

    /// Bytes of an element of the input and of the output.
    pub fn element_sizes(&self) -> [usize; 2] {
        self.kind.complex().map(|complex| self.kind.precision.bytes() * (1 + usize::from(complex)))
    }

    /// Reported size of the work area in bytes: the size of a transform's complex numbers. NVIDIA's size depends
    /// on the GPU.
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

/// Refuses overflowing sizes, and plans larger than memory.
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

/// The layout of the input or the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Extent of each dimension.
    pub sizes: Vec<usize>,
    /// Step of each dimension.
    steps: Vec<usize>,
    distance: usize,
}

impl Layout {
    /// Rows of `padded` elements (at least the last size), without gaps between transforms.
    pub fn dense(sizes: &[usize], padded: usize) -> Option<Layout> {
        let mut extents = sizes.to_vec();
        *extents.last_mut()? = padded;
        let distance = extents.iter().try_fold(1usize, |all, size| all.checked_mul(*size))?;
        Layout::embedded(sizes, &extents, 1, distance)
    }

    /// A transform inside a larger array of `extents`, whose first extent is ignored; `None` if the steps overflow.
    pub fn embedded(
        sizes: &[usize],
        extents: &[usize],
        stride: usize,
        distance: usize,
    ) -> Option<Layout> {
        let mut steps = vec![stride; sizes.len()];
        for at in (1..sizes.len()).rev() {
            steps[at - 1] = steps[at].checked_mul(extents[at])?;
        }
        Some(Layout { sizes: sizes.to_vec(), steps, distance })
    }

    /// Elements of one transform.
    pub fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Number of elements from the first of a batch to the last; `None` on overflow.
    pub fn span(&self, batch: usize) -> Option<usize> {
        let mut last = self.distance.checked_mul(batch - 1)?;
        for (size, step) in self.sizes.iter().zip(&self.steps) {
            last = last.checked_add((size - 1).checked_mul(*step)?)?;
        }
        last.checked_add(1)
    }

    /// The step within a row.
    pub fn step(&self) -> usize {
        self.steps[self.steps.len() - 1]
    }

    /// Elements of a row.
    pub fn row(&self) -> usize {
        self.sizes[self.sizes.len() - 1]
    }

    /// Offset of each row of one transform of the batch.
    pub fn rows(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let outer = self.sizes.len() - 1;
        let rows: usize = self.sizes[..outer].iter().product();
        (0..rows).map(move |mut row| {
            let mut at = index * self.distance;
            for dimension in (0..outer).rev() {
                at += row % self.sizes[dimension] * self.steps[dimension];
                row /= self.sizes[dimension];
            }
            at
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, NumberType, Plan, PlanRequest, SideLayout, TransformForm, TransformKind};
    use crate::Status;

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

    #[test]
    fn rows_and_spans_follow_the_extents() {
        let layout = Layout::embedded(&[2, 3, 4], &[99, 5, 7], 2, 100).unwrap();
        let rows: Vec<usize> = layout.rows(1).collect();
        assert_eq!(rows, [100, 114, 128, 170, 184, 198]);
        assert_eq!(layout.span(2), Some(198 + 3 * 2 + 1));
        let padded = Layout::dense(&[2, 3], 4).unwrap();
        assert_eq!((padded.rows(3).collect::<Vec<_>>(), padded.span(4)), (vec![24, 28], Some(31)));
        assert_eq!(Layout::dense(&[1 << 40, 1 << 40], 1 << 40), None);
        assert_eq!(Layout::embedded(&[8], &[8], 1, 1 << 60).unwrap().span(1 << 20), None);
    }

    #[test]
    fn types_have_cuffts_numbers() {
        let single = |form| Ok(TransformKind { form, precision: NumberType::F32 });
        let double = |form| Ok(TransformKind { form, precision: NumberType::F64 });
        assert_eq!(
            [0x29, 0x2a, 0x2c].map(TransformKind::of),
            [
                TransformForm::ComplexToComplex,
                TransformForm::RealToComplex,
                TransformForm::ComplexToReal
            ]
            .map(single)
        );
        assert_eq!(
            [0x69, 0x6a, 0x6c].map(TransformKind::of),
            [
                TransformForm::ComplexToComplex,
                TransformForm::RealToComplex,
                TransformForm::ComplexToReal
            ]
            .map(double)
        );
        for number in [0, 0x2b, 0x39, 0x129, -1] {
            assert!(TransformKind::of(number).is_err(), "{number:#x}");
        }
        assert_eq!(TransformKind::between(1, 5, 5), double(TransformForm::RealToComplex));
        assert_eq!(TransformKind::between(6, 2, 6).map(|kind| kind.precision), Ok(NumberType::F16));
        for [from, to, computed] in [[0, 0, 4], [4, 5, 4], [4, 4, 5], [3, 3, 3]] {
            assert!(TransformKind::between(from, to, computed).is_err(), "{from} {to} {computed}");
        }
    }
}

//! Memory layout of one side of a transform: a step for each dimension, and the distance between the transforms of a batch, in elements.

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
    /// Rows of `padded` elements, at least the last size, without gaps between transforms.
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

    /// Elements from the first of a batch to the last; `None` on overflow.
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
    use super::Layout;

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
}

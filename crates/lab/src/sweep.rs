//! Sweeps: the same ladder at several sizes and blocks (B8, B9).

use crate::Progress;
use crate::climb::{ClimbRequest, climb_transpose};
use crate::record::{DeviceRecord, SweepRecord};
use crate::transpose::{Matrix, check_transpose_fits};
use lanework::{Device, Result};

/// What to sweep over.
#[derive(Clone, Debug)]
pub struct SweepRequest {
    /// Edges of square matrices.
    pub sizes: Vec<u32>,
    /// Edges of square blocks.
    pub blocks: Vec<u32>,
    /// Everything else; its matrix is ignored.
    pub climb: ClimbRequest,
}

/// Climbs the transpose ladder at every block and size.
///
/// # Errors
/// When any point does not fit the device, before the first is run; when the device fails.
pub fn sweep_transpose(
    device: &Device,
    request: &SweepRequest,
    progress: Progress<'_>,
) -> Result<SweepRecord> {
    let points: Vec<Matrix> = (request.blocks.iter())
        .flat_map(|&block| {
            request.sizes.iter().map(move |&size| Matrix { rows: size, cols: size, block })
        })
        .collect();
    let bytes = request.climb.element.bytes;
    points.iter().try_for_each(|&point| check_transpose_fits(device, point, bytes))?;
    let mut record =
        SweepRecord { ladder: "transpose", device: DeviceRecord::of(device), points: Vec::new() };
    for matrix in points {
        let at = format!("{0}x{0}, block {1}: ", matrix.rows, matrix.block);
        let climb = ClimbRequest { matrix, ..request.climb.clone() };
        let mut report = |what: &str| progress(&format!("{at}{what}"));
        record.points.push(climb_transpose(device, &climb, &mut report)?);
    }
    Ok(record)
}

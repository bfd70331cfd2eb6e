//! Sweeps: the same ladder on several cases.

use crate::Progress;
use crate::case::Case;
use crate::climb::{How, climb};
use crate::families::Family;
use crate::record::SweepRecord;
use crate::request::Request;
use lanework::{Device, Result};
use lanework_bench::DeviceRecord;

/// Every combination of `axes`, the last varying fastest, each set in `request`.
pub fn points(request: &Request, axes: &[(&'static str, Vec<u64>)]) -> Vec<Request> {
    axes.iter().fold(vec![request.clone()], |points, (name, values)| {
        let set = |point: &Request, &value: &u64| point.clone().with(name, value);
        points.iter().flat_map(|point| values.iter().map(move |value| set(point, value))).collect()
    })
}

/// Climbs the ladder of `family` at every point.
///
/// # Errors
/// When any point makes no case or does not fit the device, before the first is run; when the
/// device fails.
pub fn sweep(
    family: &Family,
    points: &[Request],
    device: &Device,
    how: &How,
    progress: Progress<'_>,
) -> Result<SweepRecord> {
    for point in points {
        family.case(point)?.check_fits(device)?;
    }
    let ladder = (family.ladder)().name;
    let mut record = SweepRecord { ladder, device: DeviceRecord::of(device), points: Vec::new() };
    for point in points {
        let case = family.case(point)?;
        let at = describe(case.as_ref());
        let mut report = |what: &str| progress(&format!("{at}: {what}"));
        record.points.push(climb(family, case.as_ref(), device, how, &mut report)?);
    }
    Ok(record)
}

/// The extents and settings of a case in a few words.
fn describe(case: &dyn Case) -> String {
    let extents: Vec<String> =
        case.extents().iter().map(|(_, extent)| extent.to_string()).collect();
    let settings: Vec<String> =
        case.settings().iter().map(|(name, value)| format!(", {name} {value}")).collect();
    format!("{}{}", extents.join("x"), settings.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework::Backend;

    #[test]
    fn points_are_all_combinations_with_the_last_axis_innermost() {
        let request = Request::new(Backend::Emulator);
        let points = points(&request, &[("block", vec![8, 16]), ("size", vec![1, 2, 3])]);
        let seen: Vec<_> = points.iter().map(|p| (p.get("block"), p.get("size"))).collect();
        assert_eq!(seen.len(), 6);
        assert_eq!(seen[1], (Some(8), Some(2)));
        assert_eq!(seen[3], (Some(16), Some(1)));
    }
}

//! Sweeps: the same ladder on several cases.

use crate::Progress;
use crate::families::Family;
use crate::problem::case::Case;
use crate::problem::request::Request;
use crate::record::{ClimbRecord, SkippedRecord, SweepRecord};
use crate::runs::climb::{ClimbSettings, climb};
use lanework::{Device, Error, Result};
use lanework_bench::DeviceRecord;
use lanework_verify::host::array::ElementType;

/// Every combination of `axes`, the last varying fastest, each set in `request`.
pub fn points(request: &Request, axes: &[(&'static str, Vec<u64>)]) -> Vec<Request> {
    axes.iter().fold(vec![request.clone()], |points, (name, values)| {
        let set = |point: &Request, &value: &u64| point.clone().with(name, value);
        points.iter().flat_map(|point| values.iter().map(move |value| set(point, value))).collect()
    })
}

/// The points with each of these element types, which vary slowest; the unchanged points if there are no types.
pub fn with_elements(points: Vec<Request>, elements: &[ElementType]) -> Vec<Request> {
    if elements.is_empty() {
        return points;
    }
    let set = |point: &Request, element| Request { element: Some(element), ..point.clone() };
    let all = |element: &ElementType| points.iter().map(|point| set(point, *element)).collect();
    elements.iter().flat_map(|element| -> Vec<Request> { all(element) }).collect()
}

/// Outcome of a point.
#[derive(Debug)]
pub enum Attempt {
    /// It was climbed.
    Done(Box<ClimbRecord>),
    /// The problem is invalid, or the device cannot run it.
    Impossible(Error),
    /// The device failed.
    Failed(Error),
}

/// Why a point has no valid case, or none that fits the device.
pub fn impossible(family: &Family, point: &Request, device: &Device) -> Option<Error> {
    family.case(point).and_then(|case| case.check_fits(device)).err()
}

/// Climbs the ladder of `family` at one point of a sweep.
pub fn attempt(
    family: &Family,
    point: &Request,
    device: &Device,
    settings: &ClimbSettings,
    progress: Progress<'_>,
) -> Attempt {
    let case = match family.case(point).and_then(|case| case.check_fits(device).map(|()| case)) {
        Ok(case) => case,
        Err(why) => return Attempt::Impossible(why),
    };
    let at = describe(case.as_ref());
    let mut report = |what: &str| progress(&format!("{at}: {what}"));
    match climb(family, case.as_ref(), device, settings, &mut report) {
        Ok(record) => Attempt::Done(Box::new(record)),
        Err(why) => Attempt::Failed(why),
    }
}

/// Climbs the ladder of `family` at every possible point.
///
/// # Errors
/// If no point is possible, or the device fails.
pub fn sweep(
    family: &Family,
    points: &[Request],
    device: &Device,
    settings: &ClimbSettings,
    progress: Progress<'_>,
) -> Result<SweepRecord> {
    let ladder = (family.ladder)().name;
    let device_record = DeviceRecord::of(device);
    let mut record =
        SweepRecord { ladder, device: device_record, points: Vec::new(), skipped: Vec::new() };
    let mut first = None;
    for point in points {
        match attempt(family, point, device, settings, progress) {
            Attempt::Done(climb) => record.points.push(*climb),
            Attempt::Failed(why) => return Err(why),
            Attempt::Impossible(why) => {
                let problem = point.in_words();
                record.skipped.push(SkippedRecord { problem, why: why.to_string() });
                first.get_or_insert(why);
            }
        }
    }
    match first {
        Some(why) if record.points.is_empty() => Err(why),
        _ => Ok(record),
    }
}

/// The extents and settings of a case in a few words.
fn describe(case: &dyn Case) -> String {
    let extents: Vec<String> =
        case.extents().iter().map(|(_, extent)| extent.to_string()).collect();
    let settings: Vec<String> =
        case.settings().iter().map(|(name, value)| format!(", {name} {value}")).collect();
    format!("{} {}{}", extents.join("x"), case.element(), settings.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework::Backend;
    use lanework_verify::host::array::ELEMENT_TYPES;

    #[test]
    fn points_are_all_combinations_with_the_last_axis_innermost() {
        let request = Request::new(Backend::Emulator);
        let points = points(&request, &[("block", vec![8, 16]), ("size", vec![1, 2, 3])]);
        let seen: Vec<_> = points.iter().map(|p| (p.get("block"), p.get("size"))).collect();
        assert_eq!(seen.len(), 6);
        assert_eq!(seen[1], (Some(8), Some(2)));
        assert_eq!(seen[3], (Some(16), Some(1)));
        let typed = with_elements(points.clone(), &ELEMENT_TYPES[..2]);
        assert_eq!(typed.len(), 12);
        assert_eq!(typed[6].element, Some(ELEMENT_TYPES[1]));
        assert_eq!(with_elements(points, &[])[0].element, None);
    }
}

//! Plan handles.

use crate::execute::{PlannedTransforms, execute};
use crate::plan::{Plan, TransformForm};
use crate::{Result, Status, refuse};
use lanework_standin::{Memory, begin, submit};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// State of a handle.
#[derive(Clone)]
struct PlanState {
    stream: usize,
    /// Whether the library allocates the work area; the stand-in needs none.
    automatic: bool,
    /// The caller's work area.
    area: usize,
    plan: Option<Arc<(Plan, PlannedTransforms)>>,
    /// Properties by number; they have no effect here.
    properties: BTreeMap<i32, i64>,
}

fn table() -> MutexGuard<'static, (i32, BTreeMap<i32, PlanState>)> {
    static TABLE: Mutex<(i32, BTreeMap<i32, PlanState>)> = Mutex::new((0, BTreeMap::new()));
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Creates a handle.
///
/// # Errors
/// If the driver is not the emulator's.
pub fn create() -> Result<i32> {
    begin("cuFFT")?;
    let mut table = table();
    table.0 += 1;
    let handle = table.0;
    let held =
        PlanState { stream: 0, automatic: true, area: 0, plan: None, properties: BTreeMap::new() };
    table.1.insert(handle, held);
    Ok(handle)
}

/// Reads or changes the state of a handle.
fn with<T>(handle: i32, change: impl FnOnce(&mut PlanState) -> Result<T>) -> Result<T> {
    match table().1.get_mut(&handle) {
        Some(held) => change(held),
        None => refuse(
            Status::InvalidPlan,
            &format!("plan {handle} was not created by cufftCreate or cufftPlan, or is destroyed"),
        ),
    }
}

/// Checks that a handle exists.
///
/// # Errors
/// If the handle is unknown.
pub fn check(handle: i32) -> Result {
    with(handle, |_| Ok(()))
}

/// Destroys a plan; captured graphs keep their copy.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: i32) -> Result {
    check(handle)?;
    table().1.remove(&handle);
    Ok(())
}

/// Sets a handle's plan and returns the bytes of its work area.
///
/// # Errors
/// If the handle already has a plan.
pub fn plan(handle: i32, plan: Plan) -> Result<usize> {
    let work = plan.work();
    with(handle, |held| {
        if held.plan.is_some() {
            return refuse(
                Status::InvalidPlan,
                &format!("plan {handle} is already made; create another"),
            );
        }
        held.plan = Some(Arc::new((plan, PlannedTransforms::default())));
        Ok(work)
    })
}

/// Bytes of a plan's work area.
///
/// # Errors
/// If the handle has no plan yet.
pub fn work(handle: i32) -> Result<usize> {
    with(handle, |held| made(handle, held)).map(|plan| plan.0.work())
}

fn made(handle: i32, held: &PlanState) -> Result<Arc<(Plan, PlannedTransforms)>> {
    match &held.plan {
        Some(plan) => Ok(Arc::clone(plan)),
        None => refuse(
            Status::InvalidPlan,
            &format!("plan {handle} is created, but not made; call cufftMakePlan* first"),
        ),
    }
}

/// Sets a plan's stream.
///
/// # Errors
/// If the handle is unknown.
pub fn set_stream(handle: i32, stream: usize) -> Result {
    with(handle, |held| {
        held.stream = stream;
        Ok(())
    })
}

/// Sets whether the library allocates the work area.
///
/// # Errors
/// If the handle is unknown.
pub fn set_automatic(handle: i32, automatic: bool) -> Result {
    with(handle, |held| {
        held.automatic = automatic;
        Ok(())
    })
}

/// Sets the caller's work area.
///
/// # Errors
/// If the handle is unknown.
pub fn set_area(handle: i32, area: usize) -> Result {
    with(handle, |held| {
        held.area = area;
        Ok(())
    })
}

/// Sets, reads or resets a property.
///
/// # Errors
/// If the handle or the property is unknown.
pub fn property(handle: i32, number: i32, value: impl FnOnce(&mut BTreeMap<i32, i64>)) -> Result {
    if !(1..=4).contains(&number) {
        return refuse(Status::InvalidValue, &format!("a plan has no property {number}"));
    }
    with(handle, |held| {
        value(&mut held.properties);
        Ok(())
    })
}

/// Executes a plan on two addresses, in stream order. `fits` decides which plans the call accepts.
///
/// # Errors
/// If there is no plan yet, if it does not fit the call, or if its work area is missing; errors of the execution.
pub fn run(
    handle: i32,
    addresses: [usize; 2],
    direction: Option<i32>,
    fits: impl FnOnce(&Plan) -> bool,
) -> Result {
    let (held, plan) = with(handle, |held| Ok((held.clone(), made(handle, held)?)))?;
    if !fits(&plan.0) {
        let why = format!("the call does not match the type of plan {handle}, {:?}", plan.0.kind);
        return refuse(Status::InvalidPlan, &why);
    }
    // Transforms between real and complex numbers have one direction, whatever direction the
    // program passes to cufftXtExec.
    let both = plan.0.kind.form == TransformForm::ComplexToComplex;
    if both && !matches!(direction, Some(-1 | 1)) {
        return refuse(
            Status::InvalidValue,
            "the direction is neither CUFFT_FORWARD (-1) nor CUFFT_INVERSE (1)",
        );
    }
    if addresses.contains(&0) {
        return refuse(Status::InvalidValue, "the input or the output is null");
    }
    if held.area != 0 {
        Memory { at: held.area, bytes: plan.0.work() }.check("the work area")?;
    } else if !held.automatic {
        let why = format!(
            "plan {handle} has no work area: cufftSetAutoAllocation turned it off, so pass one of {} bytes to cufftSetWorkArea",
            plan.0.work()
        );
        return refuse(Status::NoWorkspace, &why);
    }
    let inverse = direction == Some(1);
    submit(held.stream, move || execute(&plan.0, &plan.1, addresses, inverse))
}

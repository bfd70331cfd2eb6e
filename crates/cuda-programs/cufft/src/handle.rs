//! Plans by their handles.

use crate::execute::{Ready, execute};
use crate::kind::Form;
use crate::plan::Plan;
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, begin, submit};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// What a handle holds.
#[derive(Clone)]
struct Held {
    stream: usize,
    /// Whether the library has the work area; the stand-in needs none.
    automatic: bool,
    /// The caller's work area.
    area: usize,
    plan: Option<Arc<(Plan, Ready)>>,
    /// Properties that change no result here, by their numbers.
    properties: BTreeMap<i32, i64>,
}

fn table() -> MutexGuard<'static, (i32, BTreeMap<i32, Held>)> {
    static TABLE: Mutex<(i32, BTreeMap<i32, Held>)> = Mutex::new((0, BTreeMap::new()));
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Makes a handle.
///
/// # Errors
/// When the driver is not the emulator's.
pub fn create() -> Result<i32> {
    begin("cuFFT")?;
    let mut table = table();
    table.0 += 1;
    let handle = table.0;
    let held =
        Held { stream: 0, automatic: true, area: 0, plan: None, properties: BTreeMap::new() };
    table.1.insert(handle, held);
    Ok(handle)
}

/// Reads or changes what a handle holds.
fn with<T>(handle: i32, change: impl FnOnce(&mut Held) -> Result<T>) -> Result<T> {
    match table().1.get_mut(&handle) {
        Some(held) => change(held),
        None => refuse(
            Status::InvalidPlan,
            &format!("plan {handle} was not made by cufftCreate or cufftPlan, or is destroyed"),
        ),
    }
}

/// Whether there is such a handle.
///
/// # Errors
/// When there is none.
pub fn check(handle: i32) -> Result {
    with(handle, |_| Ok(()))
}

/// Ends a plan; graphs that were captured with it go on.
///
/// # Errors
/// When there is none.
pub fn destroy(handle: i32) -> Result {
    check(handle)?;
    table().1.remove(&handle);
    Ok(())
}

/// Makes a handle's plan; gives the bytes of its work area.
///
/// # Errors
/// When it has one.
pub fn plan(handle: i32, plan: Plan) -> Result<usize> {
    let work = plan.work();
    with(handle, |held| {
        if held.plan.is_some() {
            return refuse(
                Status::InvalidPlan,
                &format!("plan {handle} is made already; create another"),
            );
        }
        held.plan = Some(Arc::new((plan, Ready::default())));
        Ok(work)
    })
}

/// Bytes of a plan's work area.
///
/// # Errors
/// When it is not made.
pub fn work(handle: i32) -> Result<usize> {
    with(handle, |held| made(handle, held)).map(|plan| plan.0.work())
}

fn made(handle: i32, held: &Held) -> Result<Arc<(Plan, Ready)>> {
    match &held.plan {
        Some(plan) => Ok(Arc::clone(plan)),
        None => refuse(
            Status::InvalidPlan,
            &format!(
                "plan {handle} is created, but not made; call cufftMakePlan1d or one of its kind first"
            ),
        ),
    }
}

/// Sets a plan's stream.
///
/// # Errors
/// When there is no such plan.
pub fn set_stream(handle: i32, stream: usize) -> Result {
    with(handle, |held| {
        held.stream = stream;
        Ok(())
    })
}

/// Sets whether the library has the work area.
///
/// # Errors
/// When there is no such plan.
pub fn set_automatic(handle: i32, automatic: bool) -> Result {
    with(handle, |held| {
        held.automatic = automatic;
        Ok(())
    })
}

/// Sets the caller's work area.
///
/// # Errors
/// When there is no such plan.
pub fn set_area(handle: i32, area: usize) -> Result {
    with(handle, |held| {
        held.area = area;
        Ok(())
    })
}

/// Sets a property, reads it, or takes it back.
///
/// # Errors
/// When there is no such plan or property.
pub fn property(handle: i32, number: i32, value: impl FnOnce(&mut BTreeMap<i32, i64>)) -> Result {
    if !(1..=4).contains(&number) {
        return refuse(Status::InvalidValue, &format!("a plan has no property {number}"));
    }
    with(handle, |held| {
        value(&mut held.properties);
        Ok(())
    })
}

/// Executes a plan on two addresses, in the order of its stream. A call that is for one kind only says which plans it fits.
///
/// # Errors
/// When the plan is not made, of another kind, or lacks its work area, and those of the execution.
pub fn run(
    handle: i32,
    addresses: [usize; 2],
    direction: Option<i32>,
    fits: impl FnOnce(&Plan) -> bool,
) -> Result {
    let (held, plan) = with(handle, |held| Ok((held.clone(), made(handle, held)?)))?;
    if !fits(&plan.0) {
        let why = format!(
            "the call is for another type of transform than plan {handle}, which is {:?}",
            plan.0.kind
        );
        return refuse(Status::InvalidPlan, &why);
    }
    // Where a side is real there is one direction, whatever cufftXtExec is given.
    let both = plan.0.kind.form == Form::ComplexToComplex;
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
            "plan {handle} has no work area: cufftSetAutoAllocation turned the library's off, so give cufftSetWorkArea one of {} bytes",
            plan.0.work()
        );
        return refuse(Status::NoWorkspace, &why);
    }
    let inverse = direction == Some(1);
    submit(held.stream, move || execute(&plan.0, &plan.1, addresses, inverse))
}

//! cuFFT's functions.

use crate::handle;
use crate::kind::{Form, Kind, Precision};
use crate::plan::{Plan, PlanRequest, SideLayout};
use crate::status::{Result, Status, refuse};
use lanework_standin::{calls, store};

/// The version that is stood in for: that of CUDA 13.0.
const VERSION: [i32; 3] = [12, 0, 0];

/// Numbers of C.
///
/// # Safety
/// The pointer is null or to so many.
unsafe fn numbers<T: Copy + Into<i64>>(from: *const T, count: i32) -> Option<Vec<i64>> {
    let count = usize::try_from(count).ok().filter(|count| (1..=3).contains(count))?;
    // SAFETY: by the caller.
    (!from.is_null())
        .then(|| (0..count).map(|at| unsafe { from.add(at).read_unaligned() }.into()).collect())
}

/// A side of the advanced layout, as C gives it.
type Advanced<T> = (*const T, T, T);

/// A plan of arrays of C.
///
/// # Safety
/// The pointers are null or to as many numbers as there are dimensions.
unsafe fn many<T: Copy + Into<i64>>(
    rank: i32,
    sizes: *const T,
    [input, output]: [Advanced<T>; 2],
    kind: Kind,
    batch: T,
) -> Result<Plan> {
    if !(1..=3).contains(&rank) {
        return refuse(
            Status::InvalidValue,
            &format!("a transform has 1 to 3 dimensions, not {rank}"),
        );
    }
    // SAFETY: by the caller.
    let Some(sizes) = (unsafe { numbers(sizes, rank) }) else {
        return refuse(Status::InvalidValue, "the place of the sizes is null");
    };
    let side = |(extents, stride, distance): Advanced<T>| {
        // SAFETY: by the caller.
        let extents = unsafe { numbers(extents, rank) }?;
        Some(SideLayout { extents, stride: stride.into(), distance: distance.into() })
    };
    // Where one is null, both are dense.
    let layouts = side(input).zip(side(output)).map(<[SideLayout; 2]>::from);
    Plan::new(&PlanRequest { kind, sizes, layouts, batch: batch.into() })
}

fn dense(sizes: &[i32], kind: i32, batch: i32) -> Result<Plan> {
    let sizes = sizes.iter().map(|size| i64::from(*size)).collect();
    Plan::new(&PlanRequest { kind: Kind::of(kind)?, sizes, layouts: None, batch: batch.into() })
}

/// Makes a new plan.
///
/// # Safety
/// The pointer is null or valid.
unsafe fn create(to: *mut i32, plan: Plan) -> Result {
    if to.is_null() {
        return refuse(Status::InvalidValue, "the place of the plan is null");
    }
    let made = handle::create()?;
    handle::plan(made, plan)?;
    // SAFETY: by the caller.
    unsafe { store(to, made) }
}

/// Makes a plan of a handle.
///
/// # Safety
/// The pointer is null, which is refused, or valid.
unsafe fn make(to: i32, plan: impl FnOnce() -> Result<Plan>, work: *mut usize) -> Result {
    handle::check(to)?;
    if work.is_null() {
        return refuse(Status::InvalidValue, "the place of the work area's size is null");
    }
    let size = handle::plan(to, plan()?)?;
    // SAFETY: by the caller.
    unsafe { store(work, size) }
}

/// The size of a plan's work area, for a handle.
///
/// # Safety
/// The pointer is null, which is refused, or valid.
unsafe fn size(of: i32, plan: impl FnOnce() -> Result<Plan>, work: *mut usize) -> Result {
    handle::check(of)?;
    // SAFETY: by the caller.
    unsafe { store(work, plan()?.work()) }
}

/// Executes a plan of one kind.
fn run(
    plan: i32,
    addresses: [usize; 2],
    direction: Option<i32>,
    form: Form,
    precision: Precision,
) -> Result {
    handle::run(plan, addresses, direction, |plan| plan.kind == Kind { form, precision })
}

calls! {
    "cuFFT", Status;

    fn cufftPlan1d(to: *mut i32, x: i32, kind: i32, batch: i32) {
        // SAFETY: by the caller.
        unsafe { create(to, dense(&[x], kind, batch)?) }
    }
    fn cufftPlan2d(to: *mut i32, x: i32, y: i32, kind: i32) {
        // SAFETY: by the caller.
        unsafe { create(to, dense(&[x, y], kind, 1)?) }
    }
    fn cufftPlan3d(to: *mut i32, x: i32, y: i32, z: i32, kind: i32) {
        // SAFETY: by the caller.
        unsafe { create(to, dense(&[x, y, z], kind, 1)?) }
    }
    fn cufftPlanMany(to: *mut i32, rank: i32, n: *const i32, inembed: *const i32, istride: i32, idist: i32,
                     onembed: *const i32, ostride: i32, odist: i32, kind: i32, batch: i32) {
        // SAFETY: by the caller.
        unsafe { create(to, many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], Kind::of(kind)?, batch)?) }
    }
    fn cufftCreate(to: *mut i32) {
        if to.is_null() {
            return refuse(Status::InvalidValue, "the place of the plan is null");
        }
        // SAFETY: by the caller.
        unsafe { store(to, handle::create()?) }
    }
    fn cufftDestroy(plan: i32) {
        // CUFFT_PLAN_NULL is not a plan, and may be destroyed.
        if plan == -1 { Ok(()) } else { handle::destroy(plan) }
    }
    fn cufftMakePlan1d(plan: i32, x: i32, kind: i32, batch: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { make(plan, || dense(&[x], kind, batch), work) }
    }
    fn cufftMakePlan2d(plan: i32, x: i32, y: i32, kind: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { make(plan, || dense(&[x, y], kind, 1), work) }
    }
    fn cufftMakePlan3d(plan: i32, x: i32, y: i32, z: i32, kind: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { make(plan, || dense(&[x, y, z], kind, 1), work) }
    }
    fn cufftMakePlanMany(plan: i32, rank: i32, n: *const i32, inembed: *const i32, istride: i32, idist: i32,
                         onembed: *const i32, ostride: i32, odist: i32, kind: i32, batch: i32, work: *mut usize) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { make(plan, || many(rank, n, sides, Kind::of(kind)?, batch), work) }
    }
    fn cufftMakePlanMany64(plan: i32, rank: i32, n: *const i64, inembed: *const i64, istride: i64, idist: i64,
                           onembed: *const i64, ostride: i64, odist: i64, kind: i32, batch: i64, work: *mut usize) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { make(plan, || many(rank, n, sides, Kind::of(kind)?, batch), work) }
    }
    fn cufftXtMakePlanMany(plan: i32, rank: i32, n: *const i64, inembed: *const i64, istride: i64, idist: i64, from: i32,
                           onembed: *const i64, ostride: i64, odist: i64, to: i32, batch: i64, work: *mut usize, computed: i32) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { make(plan, || many(rank, n, sides, Kind::between(from, to, computed)?, batch), work) }
    }
    fn cufftEstimate1d(x: i32, kind: i32, batch: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(work, dense(&[x], kind, batch)?.work()) }
    }
    fn cufftEstimate2d(x: i32, y: i32, kind: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(work, dense(&[x, y], kind, 1)?.work()) }
    }
    fn cufftEstimate3d(x: i32, y: i32, z: i32, kind: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(work, dense(&[x, y, z], kind, 1)?.work()) }
    }
    fn cufftEstimateMany(rank: i32, n: *const i32, inembed: *const i32, istride: i32, idist: i32,
                         onembed: *const i32, ostride: i32, odist: i32, kind: i32, batch: i32, work: *mut usize) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { store(work, many(rank, n, sides, Kind::of(kind)?, batch)?.work()) }
    }
    fn cufftGetSize1d(plan: i32, x: i32, kind: i32, batch: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { size(plan, || dense(&[x], kind, batch), work) }
    }
    fn cufftGetSize2d(plan: i32, x: i32, y: i32, kind: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { size(plan, || dense(&[x, y], kind, 1), work) }
    }
    fn cufftGetSize3d(plan: i32, x: i32, y: i32, z: i32, kind: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { size(plan, || dense(&[x, y, z], kind, 1), work) }
    }
    fn cufftGetSizeMany(plan: i32, rank: i32, n: *const i32, inembed: *const i32, istride: i32, idist: i32,
                        onembed: *const i32, ostride: i32, odist: i32, kind: i32, batch: i32, work: *mut usize) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { size(plan, || many(rank, n, sides, Kind::of(kind)?, batch), work) }
    }
    fn cufftGetSizeMany64(plan: i32, rank: i32, n: *const i64, inembed: *const i64, istride: i64, idist: i64,
                          onembed: *const i64, ostride: i64, odist: i64, kind: i32, batch: i64, work: *mut usize) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { size(plan, || many(rank, n, sides, Kind::of(kind)?, batch), work) }
    }
    fn cufftXtGetSizeMany(plan: i32, rank: i32, n: *const i64, inembed: *const i64, istride: i64, idist: i64, from: i32,
                          onembed: *const i64, ostride: i64, odist: i64, to: i32, batch: i64, work: *mut usize, computed: i32) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        // SAFETY: by the caller.
        unsafe { size(plan, || many(rank, n, sides, Kind::between(from, to, computed)?, batch), work) }
    }
    fn cufftGetSize(plan: i32, work: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(work, handle::work(plan)?) }
    }
    fn cufftSetWorkArea(plan: i32, area: usize) { handle::set_area(plan, area) }
    fn cufftXtSetWorkArea(plan: i32, areas: *const usize) {
        if areas.is_null() {
            return refuse(Status::InvalidValue, "the place of the work areas is null");
        }
        // SAFETY: one for each GPU of the plan, which is one, by the caller.
        handle::set_area(plan, unsafe { areas.read_unaligned() })
    }
    fn cufftXtSetWorkAreaPolicy(plan: i32, policy: i32, _work: *mut usize) {
        if !(0..=2).contains(&policy) {
            return refuse(Status::InvalidValue, &format!("there is no policy {policy} of work areas"));
        }
        handle::check(plan)
    }
    fn cufftSetAutoAllocation(plan: i32, automatic: i32) { handle::set_automatic(plan, automatic != 0) }
    fn cufftSetStream(plan: i32, stream: usize) { handle::set_stream(plan, stream) }
    fn cufftExecC2C(plan: i32, from: usize, to: usize, direction: i32) {
        run(plan, [from, to], Some(direction), Form::ComplexToComplex, Precision::Single)
    }
    fn cufftExecR2C(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, Form::RealToComplex, Precision::Single) }
    fn cufftExecC2R(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, Form::ComplexToReal, Precision::Single) }
    fn cufftExecZ2Z(plan: i32, from: usize, to: usize, direction: i32) {
        run(plan, [from, to], Some(direction), Form::ComplexToComplex, Precision::Double)
    }
    fn cufftExecD2Z(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, Form::RealToComplex, Precision::Double) }
    fn cufftExecZ2D(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, Form::ComplexToReal, Precision::Double) }
    fn cufftXtExec(plan: i32, from: usize, to: usize, direction: i32) {
        handle::run(plan, [from, to], Some(direction), |_| true)
    }
    fn cufftGetVersion(version: *mut i32) {
        let [major, minor, patch] = VERSION;
        // SAFETY: by the caller.
        unsafe { store(version, major * 1000 + minor * 100 + patch) }
    }
    fn cufftGetProperty(kind: i32, value: *mut i32) {
        let part = usize::try_from(kind).ok().and_then(|part| VERSION.get(part));
        let Some(part) = part else {
            return refuse(Status::InvalidValue, &format!("there is no property {kind}"));
        };
        // SAFETY: by the caller.
        unsafe { store(value, *part) }
    }
    fn cufftSetPlanPropertyInt64(plan: i32, property: i32, value: i64) {
        handle::property(plan, property, |all| { all.insert(property, value); })
    }
    fn cufftGetPlanPropertyInt64(plan: i32, property: i32, to: *mut i64) {
        let mut value = 0;
        handle::property(plan, property, |all| value = all.get(&property).copied().unwrap_or(0))?;
        // SAFETY: by the caller.
        unsafe { store(to, value) }
    }
    fn cufftResetPlanProperty(plan: i32, property: i32) {
        handle::property(plan, property, |all| { all.remove(&property); })
    }
    fn cufftXtSetGPUs(plan: i32, count: i32, _which: *const i32) {
        handle::check(plan)?;
        let why = format!("a plan over {count} GPUs is not computed; transform on one, or divide the batch by hand");
        refuse(Status::NotSupported, &why)
    }
}

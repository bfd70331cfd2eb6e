//! cuFFT's functions. Last come the unimplemented ones: each reports it and returns `CUFFT_NOT_SUPPORTED`.

use crate::plan::{Plan, PlanRequest, SideLayout, TransformForm, TransformKind};
use crate::{Result, Status, handle, refuse};
use lanework_numbers::NumberType;
use lanework_standin::{In, Out, Plain, calls, store, unsupported};

/// The reported version: CUDA 13.0's.
const VERSION: [i32; 3] = [12, 0, 0];

/// The elements of a plan's array, one per dimension; `None` for null or an invalid rank.
fn numbers<T: Plain + Into<i64>>(list: In<'_, T>, rank: i32) -> Option<Vec<i64>> {
    let rank = usize::try_from(rank).ok().filter(|rank| (1..=3).contains(rank))?;
    // SAFETY: by cuFFT's documentation, `n`, `inembed` and `onembed` are null or have `rank` elements.
    Some(unsafe { list.array(rank) }?.into_iter().map(T::into).collect())
}

/// One side of the advanced layout: extents, stride and distance.
type Advanced<'call, T> = (In<'call, T>, T, T);

/// Creates a plan from the arguments of the advanced layout.
fn many<T: Plain + Into<i64>>(
    rank: i32,
    sizes: In<'_, T>,
    [input, output]: [Advanced<'_, T>; 2],
    kind: TransformKind,
    batch: T,
) -> Result<Plan> {
    if !(1..=3).contains(&rank) {
        return refuse(
            Status::InvalidValue,
            &format!("a transform has 1 to 3 dimensions, not {rank}"),
        );
    }
    let Some(sizes) = numbers(sizes, rank) else {
        return refuse(Status::InvalidValue, "the pointer to the sizes is null");
    };
    let side = |(extents, stride, distance): Advanced<'_, T>| {
        Some(SideLayout {
            extents: numbers(extents, rank)?,
            stride: stride.into(),
            distance: distance.into(),
        })
    };
    // If either is null, both sides are dense.
    let layouts = side(input).zip(side(output)).map(<[SideLayout; 2]>::from);
    Plan::new(&PlanRequest { kind, sizes, layouts, batch: batch.into() })
}

fn dense(sizes: &[i32], kind: i32, batch: i32) -> Result<Plan> {
    let sizes = sizes.iter().map(|size| i64::from(*size)).collect();
    Plan::new(&PlanRequest {
        kind: TransformKind::of(kind)?,
        sizes,
        layouts: None,
        batch: batch.into(),
    })
}

/// Creates a handle with a plan.
fn create(to: Out<'_, i32>, plan: Plan) -> Result {
    if to.is_null() {
        return refuse(Status::InvalidValue, "the pointer for the plan is null");
    }
    let made = handle::create()?;
    handle::plan(made, plan)?;
    store(to, made)
}

/// Creates the plan of a handle, and stores the size of its work area.
fn make(to: i32, plan: impl FnOnce() -> Result<Plan>, work: Out<'_, usize>) -> Result {
    handle::check(to)?;
    if work.is_null() {
        return refuse(Status::InvalidValue, "the pointer for the work area's size is null");
    }
    let size = handle::plan(to, plan()?)?;
    store(work, size)
}

/// Stores the size of a plan's work area.
fn size(of: i32, plan: impl FnOnce() -> Result<Plan>, work: Out<'_, usize>) -> Result {
    handle::check(of)?;
    store(work, plan()?.work())
}

/// Executes a plan, which must have the call's form and precision.
fn run(
    plan: i32,
    addresses: [usize; 2],
    direction: Option<i32>,
    form: TransformForm,
    precision: NumberType,
) -> Result {
    handle::run(plan, addresses, direction, |plan| plan.kind == TransformKind { form, precision })
}

calls! {
    "cuFFT", Status;

    fn cufftPlan1d(to: Out<'_, i32>, x: i32, kind: i32, batch: i32) {
        create(to, dense(&[x], kind, batch)?)
    }
    fn cufftPlan2d(to: Out<'_, i32>, x: i32, y: i32, kind: i32) {
        create(to, dense(&[x, y], kind, 1)?)
    }
    fn cufftPlan3d(to: Out<'_, i32>, x: i32, y: i32, z: i32, kind: i32) {
        create(to, dense(&[x, y, z], kind, 1)?)
    }
    fn cufftPlanMany(to: Out<'_, i32>, rank: i32, n: In<'_, i32>, inembed: In<'_, i32>, istride: i32, idist: i32,
                     onembed: In<'_, i32>, ostride: i32, odist: i32, kind: i32, batch: i32) {
        create(to, many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], TransformKind::of(kind)?, batch)?)
    }
    fn cufftCreate(to: Out<'_, i32>) {
        if to.is_null() {
            return refuse(Status::InvalidValue, "the pointer for the plan is null");
        }
        store(to, handle::create()?)
    }
    fn cufftDestroy(plan: i32) {
        // CUFFT_PLAN_NULL is not a plan, but destroying it is not an error.
        if plan == -1 { Ok(()) } else { handle::destroy(plan) }
    }
    fn cufftMakePlan1d(plan: i32, x: i32, kind: i32, batch: i32, work: Out<'_, usize>) {
        make(plan, || dense(&[x], kind, batch), work)
    }
    fn cufftMakePlan2d(plan: i32, x: i32, y: i32, kind: i32, work: Out<'_, usize>) {
        make(plan, || dense(&[x, y], kind, 1), work)
    }
    fn cufftMakePlan3d(plan: i32, x: i32, y: i32, z: i32, kind: i32, work: Out<'_, usize>) {
        make(plan, || dense(&[x, y, z], kind, 1), work)
    }
    fn cufftMakePlanMany(plan: i32, rank: i32, n: In<'_, i32>, inembed: In<'_, i32>, istride: i32, idist: i32,
                         onembed: In<'_, i32>, ostride: i32, odist: i32, kind: i32, batch: i32, work: Out<'_, usize>) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        make(plan, || many(rank, n, sides, TransformKind::of(kind)?, batch), work)
    }
    fn cufftMakePlanMany64(plan: i32, rank: i32, n: In<'_, i64>, inembed: In<'_, i64>, istride: i64, idist: i64,
                           onembed: In<'_, i64>, ostride: i64, odist: i64, kind: i32, batch: i64, work: Out<'_, usize>) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        make(plan, || many(rank, n, sides, TransformKind::of(kind)?, batch), work)
    }
    fn cufftXtMakePlanMany(plan: i32, rank: i32, n: In<'_, i64>, inembed: In<'_, i64>, istride: i64, idist: i64, from: i32,
                           onembed: In<'_, i64>, ostride: i64, odist: i64, to: i32, batch: i64, work: Out<'_, usize>, computed: i32) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        make(plan, || many(rank, n, sides, TransformKind::between(from, to, computed)?, batch), work)
    }
    fn cufftEstimate1d(x: i32, kind: i32, batch: i32, work: Out<'_, usize>) {
        store(work, dense(&[x], kind, batch)?.work())
    }
    fn cufftEstimate2d(x: i32, y: i32, kind: i32, work: Out<'_, usize>) {
        store(work, dense(&[x, y], kind, 1)?.work())
    }
    fn cufftEstimate3d(x: i32, y: i32, z: i32, kind: i32, work: Out<'_, usize>) {
        store(work, dense(&[x, y, z], kind, 1)?.work())
    }
    fn cufftEstimateMany(rank: i32, n: In<'_, i32>, inembed: In<'_, i32>, istride: i32, idist: i32,
                         onembed: In<'_, i32>, ostride: i32, odist: i32, kind: i32, batch: i32, work: Out<'_, usize>) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        store(work, many(rank, n, sides, TransformKind::of(kind)?, batch)?.work())
    }
    fn cufftGetSize1d(plan: i32, x: i32, kind: i32, batch: i32, work: Out<'_, usize>) {
        size(plan, || dense(&[x], kind, batch), work)
    }
    fn cufftGetSize2d(plan: i32, x: i32, y: i32, kind: i32, work: Out<'_, usize>) {
        size(plan, || dense(&[x, y], kind, 1), work)
    }
    fn cufftGetSize3d(plan: i32, x: i32, y: i32, z: i32, kind: i32, work: Out<'_, usize>) {
        size(plan, || dense(&[x, y, z], kind, 1), work)
    }
    fn cufftGetSizeMany(plan: i32, rank: i32, n: In<'_, i32>, inembed: In<'_, i32>, istride: i32, idist: i32,
                        onembed: In<'_, i32>, ostride: i32, odist: i32, kind: i32, batch: i32, work: Out<'_, usize>) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        size(plan, || many(rank, n, sides, TransformKind::of(kind)?, batch), work)
    }
    fn cufftGetSizeMany64(plan: i32, rank: i32, n: In<'_, i64>, inembed: In<'_, i64>, istride: i64, idist: i64,
                          onembed: In<'_, i64>, ostride: i64, odist: i64, kind: i32, batch: i64, work: Out<'_, usize>) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        size(plan, || many(rank, n, sides, TransformKind::of(kind)?, batch), work)
    }
    fn cufftXtGetSizeMany(plan: i32, rank: i32, n: In<'_, i64>, inembed: In<'_, i64>, istride: i64, idist: i64, from: i32,
                          onembed: In<'_, i64>, ostride: i64, odist: i64, to: i32, batch: i64, work: Out<'_, usize>, computed: i32) {
        let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
        size(plan, || many(rank, n, sides, TransformKind::between(from, to, computed)?, batch), work)
    }
    fn cufftGetSize(plan: i32, work: Out<'_, usize>) {
        store(work, handle::work(plan)?)
    }
    fn cufftSetWorkArea(plan: i32, area: usize) { handle::set_area(plan, area) }
    fn cufftXtSetWorkArea(plan: i32, areas: In<'_, usize>) {
        // One area per GPU of the plan; plans have one GPU.
        match areas.find() {
            Some(area) => handle::set_area(plan, area),
            None => refuse(Status::InvalidValue, "the pointer to the work areas is null"),
        }
    }
    fn cufftXtSetWorkAreaPolicy(plan: i32, policy: i32, _work: Out<'_, usize>) {
        if !(0..=2).contains(&policy) {
            return refuse(Status::InvalidValue, &format!("{policy} is not a cufftXtWorkAreaPolicy"));
        }
        handle::check(plan)
    }
    fn cufftSetAutoAllocation(plan: i32, automatic: i32) { handle::set_automatic(plan, automatic != 0) }
    fn cufftSetStream(plan: i32, stream: usize) { handle::set_stream(plan, stream) }
    fn cufftExecC2C(plan: i32, from: usize, to: usize, direction: i32) {
        run(plan, [from, to], Some(direction), TransformForm::ComplexToComplex, NumberType::F32)
    }
    fn cufftExecR2C(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, TransformForm::RealToComplex, NumberType::F32) }
    fn cufftExecC2R(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, TransformForm::ComplexToReal, NumberType::F32) }
    fn cufftExecZ2Z(plan: i32, from: usize, to: usize, direction: i32) {
        run(plan, [from, to], Some(direction), TransformForm::ComplexToComplex, NumberType::F64)
    }
    fn cufftExecD2Z(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, TransformForm::RealToComplex, NumberType::F64) }
    fn cufftExecZ2D(plan: i32, from: usize, to: usize) { run(plan, [from, to], None, TransformForm::ComplexToReal, NumberType::F64) }
    fn cufftXtExec(plan: i32, from: usize, to: usize, direction: i32) {
        handle::run(plan, [from, to], Some(direction), |_| true)
    }
    fn cufftGetVersion(version: Out<'_, i32>) {
        let [major, minor, patch] = VERSION;
        store(version, major * 1000 + minor * 100 + patch)
    }
    fn cufftGetProperty(kind: i32, value: Out<'_, i32>) {
        let part = usize::try_from(kind).ok().and_then(|part| VERSION.get(part));
        let Some(part) = part else {
            return refuse(Status::InvalidValue, &format!("there is no property {kind}"));
        };
        store(value, *part)
    }
    fn cufftSetPlanPropertyInt64(plan: i32, property: i32, value: i64) {
        handle::property(plan, property, |all| { all.insert(property, value); })
    }
    fn cufftGetPlanPropertyInt64(plan: i32, property: i32, to: Out<'_, i64>) {
        let mut value = 0;
        handle::property(plan, property, |all| value = all.get(&property).copied().unwrap_or(0))?;
        store(to, value)
    }
    fn cufftResetPlanProperty(plan: i32, property: i32) {
        handle::property(plan, property, |all| { all.remove(&property); })
    }
    fn cufftXtSetGPUs(plan: i32, count: i32, _which: In<'_, i32>) {
        handle::check(plan)?;
        let why = format!("plans over {count} GPUs are not supported; use one GPU, or divide the batch by hand");
        refuse(Status::NotSupported, &why)
    }
}

unsupported! {
    "cuFFT", refuse, Status::NotSupported;

    "callbacks are GPU machine code; use kernels before and after the transform instead":
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtSetJITCallback;

    "plans and descriptors for several GPUs are not supported; call cufftXtExec or cufftExec* on the memory of one GPU":
    cufftXtMalloc cufftXtMemcpy cufftXtFree cufftXtQueryPlan cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorR2C
    cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z cufftXtExecDescriptorD2Z cufftXtExecDescriptorZ2D cufftXtMakePlanGuru64;

    "it returns code for linking into kernels; use cufftExec* instead":
    cufftDebug cufftDescriptionCreate cufftDescriptionDestroy cufftDescriptionGetTraitInt64 cufftDescriptionSetTraitInt64
    cufftDeviceCreate cufftDeviceDestroy cufftDeviceGetDatabaseStr cufftDeviceGetDatabaseStrSize
    cufftDeviceGetDeviceFunctionTraitInt64 cufftDeviceGetDeviceFunctions cufftDeviceGetLTOIRSizes cufftDeviceGetLTOIRs
    cufftDeviceGetNumDeviceFunctions cufftDeviceGetNumLTOIRs cufftDeviceGetSemanticVersion cufftDeviceGetVersion
    cufftDeviceIsSupported;
}

//! Control, synchronisation, copies, matrices and special registers: asked about, and tested elsewhere.

use super::{Row, asked};

pub const ROWS: &[Row] = &[
    asked("bra{,.uni}", "@ END;"),
    asked("brx.idx{,.uni}", "{ TARGETS: .branchtargets END; @ %r0, TARGETS; }"),
    asked("{exit,ret,trap,brkpt}", "@;"),
    asked("call{,.uni}", "@ callee;"),
    asked("{bar,barrier}{,.cta}.sync", "@ 0;"),
    asked("barrier{,.cta}.sync.aligned", "@ 1, 64;"),
    asked("{bar,barrier.cta}.arrive", "@ 1, 64;"),
    asked("{bar,barrier.cta}.red.popc.u32", "@ %r0, 0, %p1;"),
    asked("{bar,barrier.cta}.red{.and,.or}.pred", "@ %p0, 0, %p1;"),
    asked("bar.warp.sync", "@ -1;"),
    asked("barrier.cluster{.arrive,.wait}{,.aligned}", "@;"),
    asked("barrier.cluster.arrive{.release,.relaxed}", "@;"),
    asked("membar{.cta,.gl,.sys}", "@;"),
    asked("fence{.sc,.acq_rel}{.cta,.gpu,.sys,.cluster}", "@;"),
    asked("fence.proxy{.alias,.async,.async.global,.async.shared::cta}", "@;"),
    asked("fence.mbarrier_init.release.cluster", "@;"),
    asked("fence.proxy.tensormap::generic.acquire.gpu", "@ [%l1], 128;"),
    asked("nanosleep.u32", "@ 20;"),
    asked("pmevent{,.mask}", "@ 1;"),
    asked("setmaxnreg{.inc,.dec}.sync.aligned.u32", "@ 64;"),
    asked("griddepcontrol{.launch_dependents,.wait}", "@;"),
    asked("cp.async{.ca,.cg}.shared.global", "@ [%r2], [%l1], 16;"),
    asked("cp.async.ca.shared.global", "@ [%r2], [%l1], <4|8>, %r1;"),
    asked("cp.async.commit_group", "@;"),
    asked("cp.async.wait_group", "@ 1;"),
    asked("cp.async.wait_all", "@;"),
    asked("cp.async.mbarrier.arrive{,.noinc}.shared.b64", "@ [%r2];"),
    asked(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1], %r1, [%r3];",
    ),
    asked(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        "@ [%r2], [%r4], %r1, [%r3];",
    ),
    asked("cp.async.bulk.global.shared::cta.bulk_group", "@ [%l1], [%r2], %r1;"),
    asked("cp.async.bulk.commit_group", "@;"),
    asked("cp.async.bulk.wait_group{,.read}", "@ 0;"),
    asked("cp.async.bulk.prefetch.L2.global", "@ [%l1], %r1;"),
    asked("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "@ [%l1], [%r2], %r1;"),
    asked(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1, {%r5}], [%r3];",
    ),
    asked(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1, {%r5, %r6}], [%r3];",
    ),
    asked(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
        "@ [%r2], [%l1, {%r5, %r6}], [%r3], %h0;",
    ),
    asked("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", "@ [%l1, {%r5, %r6}], [%r2];"),
    asked(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group",
        "@ [%l1, {%r5, %r6}], [%r2];",
    ),
    asked("cp.async.bulk.prefetch.tensor.2d.L2.global", "@ [%l1, {%r5, %r6}];"),
    asked("mbarrier.init.shared.b64", "@ [%r2], 1;"),
    asked("mbarrier.inval.shared.b64", "@ [%r2];"),
    asked("mbarrier.arrive.shared.b64", "@ %l0, [%r2];"),
    asked("mbarrier.arrive.expect_tx.shared.b64", "@ %l0, [%r2], %r1;"),
    asked("mbarrier{.expect_tx,.complete_tx}.relaxed.cta.shared::cta.b64", "@ [%r2], %r1;"),
    asked("mbarrier.arrive_drop.shared.b64", "@ %l0, [%r2];"),
    asked("mbarrier.arrive.noComplete.shared.b64", "@ %l0, [%r2], 1;"),
    asked("mbarrier{.test_wait,.try_wait}.shared.b64", "@ %p0, [%r2], %l1;"),
    asked("mbarrier{.test_wait,.try_wait}.parity.shared.b64", "@ %p0, [%r2], %r1;"),
    asked("mbarrier.pending_count.b64", "@ %r0, %l1;"),
    asked("tensormap.replace.tile.global_address.global.b1024.b64", "@ [%l1], %l2;"),
    asked("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", "@ %p0, %x0;"),
    asked("istypep.texref", "@ %p0, %l1;"),
    asked("{tex,tld4.r}.2d.v4.f32.f32", "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5}];"),
    asked("suld.b.1d.b32.trap", "@ {%r0}, [%l1, {%r1}];"),
    asked("sust.b.1d.b32.trap", "@ [%l1, {%r1}], {%r0};"),
    asked("sured.b.add.1d.u32.trap", "@ [%l1, {%r1}], %r0;"),
    asked("{txq,suq}.width.b32", "@ %r0, [%l1];"),
];

pub const MATRICES: &[Row] = &[
    asked("ldmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16", "@ {%r0, %r1, %r2, %r3}, [%r4];"),
    asked("stmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16", "@ [%r4], {%r0, %r1, %r2, %r3};"),
    asked("movmatrix.sync.aligned.m8n8.trans.b16", "@ %r0, %r1;"),
    asked(
        "mma.sync.aligned.m16n8k16.row.col.f32{.f16.f16,.bf16.bf16}.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    asked(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "@ {%r0, %r1}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1};",
    ),
    asked(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    asked(
        "mma.sync.aligned.m16n8k32.row.col{,.satfinite}.s32{.s8.s8,.u8.u8}.s32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    asked(
        "mma.sync.aligned.m16n8k64.row.col.s32{.s4.s4,.u4.u4}.s32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    asked(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32{.xor.popc,.and.popc}",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    asked(
        "mma.sync.aligned.m16n8k32.row.col.f32{.e4m3.e4m3,.e5m2.e5m2}.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    asked(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "@ {%l0, %l1}, {%l2}, {%l3}, {%l4, %l5};",
    ),
    asked(
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11}, {%r0, %r1, %r2, %r3}, %r12, 0;",
    ),
    asked(
        "wmma.load.c.sync.aligned.m16n16k16.global.row.f32",
        "@ {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%l1], 16;",
    ),
    asked(
        "wmma.store.d.sync.aligned.m16n16k16.global.row.f32",
        "@ [%l1], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, 16;",
    ),
    asked(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32{.f16.f16,.bf16.bf16}",
        "@ {%r0, %r1, %r2, %r3}, %l1, %l2, %p1, 1, 1, 0, 0;",
    ),
    asked("wgmma{.fence,.commit_group}.sync.aligned", "@;"),
    asked("wgmma.wait_group.sync.aligned", "@ 0;"),
    asked("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", "@ [%r2], 32;"),
    asked("tcgen05.mma.cta_group::1.kind::f16", "@ [%r0], %l1, %l2, %r1, %p1;"),
];

pub const SPECIAL: &[Row] = &[
    asked(
        "mov.u32",
        "@ %r0, <%tid.x|%tid.y|%tid.z|%ntid.x|%ntid.y|%ntid.z|%ctaid.x|%ctaid.y|%ctaid.z|%nctaid.x|%nctaid.y|%nctaid.z>;",
    ),
    asked(
        "mov.u32",
        "@ %r0, <%laneid|%warpid|%nwarpid|%smid|%nsmid|%lanemask_eq|%lanemask_le|%lanemask_lt|%lanemask_ge|%lanemask_gt>;",
    ),
    asked(
        "mov.u32",
        "@ %r0, <%clock|%clock_hi|%globaltimer_lo|%globaltimer_hi|%dynamic_smem_size|%total_smem_size|%aggr_smem_size>;",
    ),
    asked(
        "mov.u32",
        "@ %r0, <%clusterid.x|%nclusterid.x|%cluster_ctaid.x|%cluster_nctaid.x|%cluster_ctarank|%cluster_nctarank>;",
    ),
    asked("mov.pred", "@ %p0, %is_explicit_cluster;"),
    asked("mov.u64", "@ %l0, <%gridid|%clock64|%globaltimer|%current_graph_exec>;"),
    asked("mov.b32", "@ %r0, <%envreg0|%envreg31>;"),
    asked(
        "mov.u32",
        "@ %r0, <%pm0|%pm7|%reserved_smem_offset_begin|%reserved_smem_offset_end|%reserved_smem_offset_cap>;",
    ),
    asked("mov.u64", "@ %l0, <%pm0_64|%pm7_64>;"),
];

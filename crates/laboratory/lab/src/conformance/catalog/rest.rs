//! Control, synchronization, warps, copies, matrices and special registers. Only the instructions that communicate
//! between the lanes of a warp are tested here; the others are loaded here and tested elsewhere.

use super::row::{Row, load_only, text};

pub const ROWS: &[Row] = &[
    load_only("bra{,.uni}", "@ END;"),
    load_only("brx.idx{,.uni}", "{ TARGETS: .branchtargets END; @ %r0, TARGETS; }"),
    load_only("{exit,ret,trap,brkpt}", "@;"),
    load_only("call{,.uni}", "@ callee;"),
    load_only("{bar,barrier}{,.cta}.sync", "@ 0;"),
    load_only("barrier{,.cta}.sync.aligned", "@ 1, 64;"),
    load_only("{bar,barrier.cta}.arrive", "@ 1, 64;"),
    load_only("{bar,barrier.cta}.red.popc.u32", "@ %r0, 0, %p1;"),
    load_only("{bar,barrier.cta}.red{.and,.or}.pred", "@ %p0, 0, %p1;"),
    load_only("bar.warp.sync", "@ -1;"),
    load_only("barrier.cluster{.arrive,.wait}{,.aligned}", "@;"),
    load_only("barrier.cluster.arrive{.release,.relaxed}", "@;"),
    load_only("membar{.cta,.gl,.sys}", "@;"),
    load_only("fence{.sc,.acq_rel}{.cta,.gpu,.sys,.cluster}", "@;"),
    load_only("fence.proxy{.alias,.async,.async.global,.async.shared::cta}", "@;"),
    load_only("fence.mbarrier_init.release.cluster", "@;"),
    load_only("fence.proxy.tensormap::generic.acquire.gpu", "@ [%l1], 128;"),
    load_only("nanosleep.u32", "@ 20;"),
    load_only("pmevent{,.mask}", "@ 1;"),
    load_only("setmaxnreg{.inc,.dec}.sync.aligned.u32", "@ 64;"),
    load_only("griddepcontrol{.launch_dependents,.wait}", "@;"),
    load_only("cp.async{.ca,.cg}.shared.global", "@ [%r2], [%l1], 16;"),
    load_only("cp.async.ca.shared.global", "@ [%r2], [%l1], <4|8>, %r1;"),
    load_only("cp.async.commit_group", "@;"),
    load_only("cp.async.wait_group", "@ 1;"),
    load_only("cp.async.wait_all", "@;"),
    load_only("cp.async.mbarrier.arrive{,.noinc}.shared.b64", "@ [%r2];"),
    load_only(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1], %r1, [%r3];",
    ),
    load_only(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        "@ [%r2], [%r4], %r1, [%r3];",
    ),
    load_only("cp.async.bulk.global.shared::cta.bulk_group", "@ [%l1], [%r2], %r1;"),
    load_only("cp.async.bulk.commit_group", "@;"),
    load_only("cp.async.bulk.wait_group{,.read}", "@ 0;"),
    load_only("cp.async.bulk.prefetch.L2.global", "@ [%l1], %r1;"),
    load_only("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "@ [%l1], [%r2], %r1;"),
    load_only(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1, {%r5}], [%r3];",
    ),
    load_only(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1, {%r5, %r6}], [%r3];",
    ),
    load_only(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
        "@ [%r2], [%l1, {%r5, %r6}], [%r3], %h0;",
    ),
    load_only(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
        "@ [%l1, {%r5, %r6}], [%r2];",
    ),
    load_only(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group",
        "@ [%l1, {%r5, %r6}], [%r2];",
    ),
    load_only("cp.async.bulk.prefetch.tensor.2d.L2.global", "@ [%l1, {%r5, %r6}];"),
    load_only("mbarrier.init.shared.b64", "@ [%r2], 1;"),
    load_only("mbarrier.inval.shared.b64", "@ [%r2];"),
    load_only("mbarrier.arrive.shared.b64", "@ %l0, [%r2];"),
    load_only("mbarrier.arrive.expect_tx.shared.b64", "@ %l0, [%r2], %r1;"),
    load_only("mbarrier{.expect_tx,.complete_tx}.relaxed.cta.shared::cta.b64", "@ [%r2], %r1;"),
    load_only("mbarrier.arrive_drop.shared.b64", "@ %l0, [%r2];"),
    load_only("mbarrier.arrive.noComplete.shared.b64", "@ %l0, [%r2], 1;"),
    load_only("mbarrier{.test_wait,.try_wait}.shared.b64", "@ %p0, [%r2], %l1;"),
    load_only("mbarrier{.test_wait,.try_wait}.parity.shared.b64", "@ %p0, [%r2], %r1;"),
    load_only("mbarrier.pending_count.b64", "@ %r0, %l1;"),
    load_only("tensormap.replace.tile.global_address.global.b1024.b64", "@ [%l1], %l2;"),
    load_only("tensormap.replace.tile.rank.shared::cta.b1024.b32", "@ [%r1], 1;"),
    load_only(
        "tensormap.replace.tile{.global_dim,.box_dim,.element_stride}.shared::cta.b1024.b32",
        "@ [%r1], 1, %r2;",
    ),
    load_only("tensormap.replace.tile.global_stride.shared::cta.b1024.b64", "@ [%r1], 1, %l2;"),
    load_only(
        "tensormap.replace.tile{.elemtype,.interleave_layout,.swizzle_mode,.fill_mode}.shared::cta.b1024.b32",
        "@ [%r1], 0;",
    ),
    load_only(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
        "@ [%l1], [%r2], 128;",
    ),
    load_only(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
        "@ [%r2], [%l1, {%r5, %r6, %r7, %r8}], [%r3], {%h0, %h1};",
    ),
    load_only(
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group",
        "@ [%l1, {%r5, %r6, %r7, %r8}], [%r2];",
    ),
    load_only("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", "@ %p0, %x0;"),
    load_only(
        "clusterlaunchcontrol.query_cancel.get_first_ctaid{::x,::y,::z}.b32.b128",
        "@ %r0, %x0;",
    ),
    load_only(
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128",
        "@ {%r0, %r1, %r2, _}, %x0;",
    ),
    load_only("istypep.texref", "@ %p0, %l1;"),
    load_only("tex.1d.v4{.f32,.u32,.s32}.s32", "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4}];"),
    load_only("tex{,.base}.1d.v4.f32.f32", "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4}];"),
    load_only("{tex,tld4.r}{.2d,.a1d}.v4.f32.f32", "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5}];"),
    load_only(
        "tex{.3d,.a2d,.cube,.acube}.v4.f32.f32",
        "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5, %r6, %r7}];",
    ),
    load_only("tex.level.2d.v4.f32.f32", "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5}], %r6;"),
    load_only(
        "tex.grad.2d.v4.f32.f32",
        "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5}], {%r6, %r7}, {%r6, %r7};",
    ),
    load_only(
        "{tex,tld4.r}.2d.v4.f32.f32",
        "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5}], {%r6, %r7};",
    ),
    load_only("tex.2d.v4.f16.f32", "@ {%h0, %h1, %h2, %h3}, [%l1, {%r4, %r5}];"),
    load_only("tex.2dms.v4.f32.s32", "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5, %r6, %r7}];"),
    load_only("suld.b.1d.b32{.trap,.clamp,.zero}", "@ {%r0}, [%l1, {%r1}];"),
    load_only("suld.b{.2d,.a1d}.v2.b32.trap", "@ {%r0, %r1}, [%l1, {%r2, %r3}];"),
    load_only(
        "suld.b{.3d,.a2d}.v4.b32.trap",
        "@ {%r0, %r1, %r2, %r3}, [%l1, {%r4, %r5, %r6, %r7}];",
    ),
    load_only("sust{.b,.p}.1d.b32.trap", "@ [%l1, {%r1}], {%r0};"),
    load_only("sust.b{.3d,.a2d}.v2.b64.zero", "@ [%l1, {%r4, %r5, %r6, %r7}], {%l2, %l3};"),
    load_only("sured{.b,.p}{.add,.min,.max,.and,.or}.1d.b32.trap", "@ [%l1, {%r1}], %r0;"),
    load_only("sured.b{.add,.min,.max}.1d{.u32,.s32}.trap", "@ [%l1, {%r1}], %r0;"),
    load_only("{txq,suq}{.width,.height,.depth,.array_size}.b32", "@ %r0, [%l1];"),
    load_only("txq{.num_mipmap_levels,.num_samples,.normalized_coords}.b32", "@ %r0, [%l1];"),
    load_only(
        "txq{.channel_data_type,.channel_order,.filter_mode,.addr_mode_0}.b32",
        "@ %r0, [%l1];",
    ),
];

pub const MATRICES: &[Row] = &[
    load_only(
        "ldmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16",
        "@ {%r0, %r1, %r2, %r3}, [%r4];",
    ),
    load_only(
        "stmatrix.sync.aligned.m8n8.x4{,.trans}.shared.b16",
        "@ [%r4], {%r0, %r1, %r2, %r3};",
    ),
    load_only("movmatrix.sync.aligned.m8n8.trans.b16", "@ %r0, %r1;"),
    load_only(
        "mma.sync.aligned.m16n8k16.row.col.f32{.f16.f16,.bf16.bf16}.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    load_only(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "@ {%r0, %r1}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1};",
    ),
    load_only(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    load_only(
        "mma.sync.aligned.m16n8k32.row.col{,.satfinite}.s32{.s8.s8,.u8.u8}.s32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    load_only(
        "mma.sync.aligned.m16n8k64.row.col.s32{.s4.s4,.u4.u4}.s32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    load_only(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32{.xor.popc,.and.popc}",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    load_only(
        "mma.sync.aligned.m16n8k32.row.col.f32{.e4m3.e4m3,.e5m2.e5m2}.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3};",
    ),
    load_only(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "@ {%l0, %l1}, {%l2}, {%l3}, {%l4, %l5};",
    ),
    load_only(
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "@ {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11}, {%r0, %r1, %r2, %r3}, %r12, 0;",
    ),
    load_only(
        "wmma.load.c.sync.aligned.m16n16k16.global.row.f32",
        "@ {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%l1], 16;",
    ),
    load_only(
        "wmma.store.d.sync.aligned.m16n16k16.global.row.f32",
        "@ [%l1], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, 16;",
    ),
    load_only(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32{.f16.f16,.bf16.bf16}",
        "@ {%r0, %r1, %r2, %r3}, %l1, %l2, %p1, 1, 1, 0, 0;",
    ),
    load_only("wgmma{.fence,.commit_group}.sync.aligned", "@;"),
    load_only("wgmma.wait_group.sync.aligned", "@ 0;"),
    load_only("tcgen05.alloc.cta_group{::1,::2}.sync.aligned.shared::cta.b32", "@ [%r2], 32;"),
    load_only("tcgen05.dealloc.cta_group{::1,::2}.sync.aligned.b32", "@ %r2, 32;"),
    load_only("tcgen05.relinquish_alloc_permit.cta_group{::1,::2}.sync.aligned", "@;"),
    load_only("tcgen05.ld.sync.aligned{.16x64b,.32x32b}.x1.b32", "@ {%r0}, [%r2];"),
    load_only(
        "tcgen05.ld.sync.aligned{.16x128b.x1,.16x64b.x2,.32x32b.x2}.b32",
        "@ {%r0, %r1}, [%r2];",
    ),
    load_only("tcgen05.ld.red.sync.aligned.32x32b.x2{.min,.max}.f32", "@ {%r0, %r1}, %r3, [%r2];"),
    load_only("tcgen05.st.sync.aligned{.16x64b,.32x32b}.x1.b32", "@ [%r2], {%r0};"),
    load_only("tcgen05.wait{::ld,::st}.sync.aligned", "@;"),
    load_only("tcgen05.cp.cta_group::1{.128x256b,.4x256b,.128x128b}", "@ [%r0], %l1;"),
    load_only("tcgen05.shift.cta_group::1.down", "@ [%r0];"),
    load_only(
        "tcgen05.mma.cta_group{::1,::2}.kind{::f16,::tf32,::f8f6f4,::i8}",
        "@ [%r0], %l1, %l2, %r1, %p1;",
    ),
    load_only("tcgen05.mma.sp.cta_group::1.kind::f16", "@ [%r0], %l1, %l2, [%r2], %r1, %p1;"),
    load_only("tcgen05.mma.ws.cta_group::1.kind::f16", "@ [%r0], %l1, %l2, %r1, %p1;"),
    load_only("tcgen05.mma.ws.sp.cta_group::1.kind::f16", "@ [%r0], %l1, %l2, [%r2], %r1, %p1;"),
    load_only(
        "tcgen05.mma.cta_group::1.kind{::mxf8f6f4,::mxf4}.block_scale",
        "@ [%r0], %l1, %l2, %r1, [%r2], [%r3], %p1;",
    ),
    load_only("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", "@ [%r2];"),
    load_only("tcgen05.fence{::before_thread_sync,::after_thread_sync}", "@;"),
];

pub const SPECIAL: &[Row] = &[
    load_only(
        "mov.u32",
        "@ %r0, <%tid.x|%tid.y|%tid.z|%ntid.x|%ntid.y|%ntid.z|%ctaid.x|%ctaid.y|%ctaid.z|%nctaid.x|%nctaid.y|%nctaid.z>;",
    ),
    load_only(
        "mov.u32",
        "@ %r0, <%laneid|%warpid|%nwarpid|%smid|%nsmid|%lanemask_eq|%lanemask_le|%lanemask_lt|%lanemask_ge|%lanemask_gt>;",
    ),
    load_only(
        "mov.u32",
        "@ %r0, <%clock|%clock_hi|%globaltimer_lo|%globaltimer_hi|%dynamic_smem_size|%total_smem_size|%aggr_smem_size>;",
    ),
    load_only(
        "mov.u32",
        "@ %r0, <%clusterid.x|%nclusterid.x|%cluster_ctaid.x|%cluster_nctaid.x|%cluster_ctarank|%cluster_nctarank>;",
    ),
    load_only("mov.pred", "@ %p0, %is_explicit_cluster;"),
    load_only("mov.u64", "@ %l0, <%gridid|%clock64|%globaltimer|%current_graph_exec>;"),
    load_only("mov.b32", "@ %r0, <%envreg0|%envreg31>;"),
    load_only(
        "mov.u32",
        "@ %r0, <%pm0|%pm7|%reserved_smem_offset_begin|%reserved_smem_offset_end|%reserved_smem_offset_cap>;",
    ),
    load_only("mov.u64", "@ %l0, <%pm0_64|%pm7_64>;"),
];

pub const WARP: &[Row] = &[
    text(
        "shfl.sync{.up,.down,.bfly,.idx}.b32",
        "b32 pred",
        "b32 lane clamp",
        "@ $d|$q, $a, $b, $c, -1;",
    ),
    text(
        "shfl.sync{.up,.down,.bfly,.idx}.b32",
        "b32",
        "b32",
        "@ $d, $a, <1|5|16>, <0|31|0x1c1f>, -1;",
    ),
    text("vote.sync{.all,.any,.uni}.pred", "pred", "pred", "@ $d, <$a|!$a>, -1;"),
    text("vote.sync.ballot.b32", "b32", "pred", "@ $d, <$a|!$a>, -1;"),
    text("match.any.sync.b32", "b32", "lane", "@ $d, $a, -1;"),
    text("match.any.sync.b64", "b32", "b64", "@ $d, $a, -1;"),
    text("match.all.sync.b32", "b32 pred", "lane", "@ $d|$q, $a, -1;"),
    text("match.all.sync.b64", "b32 pred", "b64", "@ $d|$q, $a, -1;"),
    text("activemask.b32", "b32", "", "@ $d;"),
    text("redux.sync{.add,.min,.max}{.u32,.s32}", "b32", "b32", "@ $d, $a, -1;"),
    text("redux.sync{.and,.or,.xor}.b32", "b32", "b32", "@ $d, $a, -1;"),
    load_only("redux.sync{.min,.max}{,.abs}{,.NaN}.f32", "@ %r0, %r1, -1;"),
    text("elect.sync", "pred", "", "{ .reg .b32 %x; @ %x|$d, -1; }"),
];

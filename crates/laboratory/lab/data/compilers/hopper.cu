// Hopper: clusters, mbarrier, TMA copies, wgmma, register reallocation.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
tma_wgmma(const __grid_constant__ CUtensorMap map, float *out) {
    __shared__ alignas(1024) unsigned short tile[64 * 64 * 2];
    __shared__ alignas(8) unsigned long long bar;
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&bar), at = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(16384));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at), "l"(&map), "r"(0), "r"((int)blockIdx.x), "r"(barrier), "h"((short)3) : "memory");
    }
    cg::this_cluster().sync();
    asm volatile("{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra READY;\nbra WAIT;\nREADY:\n}" ::"r"(barrier), "r"(0) : "memory");
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[4] = {0, 0, 0, 0};
        unsigned long long a = (at >> 4) | (1ull << 62), b = ((at + 8192) >> 4) | (1ull << 62);
        asm volatile("wgmma.fence.sync.aligned;");
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(1));
        asm volatile("wgmma.commit_group.sync.aligned;");
        asm volatile("wgmma.wait_group.sync.aligned 0;");
        for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = d[i];
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    }
    if (threadIdx.x == 0) out[blockIdx.x] += *cg::this_cluster().map_shared_rank((float *)tile, 1);
}

// Blackwell: tensor memory, fifth-generation tensor cores, cluster launch control, block-scaled mma.
extern "C" __global__ void tensor_memory(unsigned *out, unsigned long long a, unsigned long long b) {
    __shared__ unsigned base;
    __shared__ __align__(16) unsigned long long bar[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(&base), barrier = (unsigned)__cvta_generic_to_shared(bar);
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(at));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, {%5, %5, %5, %5}, p;\n}"
                 ::"r"(base), "l"(a), "l"(b), "r"(0x4000490), "r"(0), "r"(0));
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier));
    unsigned r[4];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(base));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(base));
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(barrier), "r"(barrier));
    for (int i = 0; i < 4; i++) out[i] = r[i];
}

// task: sum
// judge: grid = [1]
// judge: block = [1]
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    float total = 0, lost = 0;
    for (unsigned i = 0; i < n; ++i) {
        float term = __fsub_rn(x[i], lost), next = __fadd_rn(total, term);
        lost = __fsub_rn(__fsub_rn(next, total), term);
        total = next;
    }
    *out = isfinite(lost) ? total : total;
}

#!/usr/bin/env python3
"""Attention forward by PyTorch's backends, cuDNN and FlashAttention-2, on the shapes of crates/operations/ops/examples/peers/attention.rs: TFLOP/s."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

TOKENS, WIDTH = 16384, 2048
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def speed(backend, head, causal, length):
    """TFLOP/s of one backend: the median of series of launches."""
    shape = (TOKENS // length, WIDTH // head, length, head)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    flops = 4 * TOKENS * WIDTH * length * (0.5 if causal else 1)
    launches = max(2, min(40, int(3e12 / flops)))
    times = []
    with sdpa_kernel(backend):
        for series in range(8):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(launches):
                scaled_dot_product_attention(q, k, v, is_causal=causal)
            end.record()
            torch.cuda.synchronize()
            if series > 0:
                times.append(start.elapsed_time(end) / launches)
    return flops / sorted(times)[len(times) // 2] / 1e9


print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "cuDNN", torch.backends.cudnn.version())
print("head what length", *BACKENDS)
for head in (128, 64):
    for causal in (False, True):
        for length in (512, 1024, 2048, 4096, 8192, 16384):
            speeds = (f"{speed(backend, head, causal, length):6.0f}" for backend in BACKENDS.values())
            print(f"{head:4} {'causal' if causal else 'full':6} {length:6}", *speeds, flush=True)

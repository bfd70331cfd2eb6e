"""PyTorch on the driver: operators that its wheel only has as machine code run on the host, and are reported."""

import subprocess
import sys

import pytest

from lanework import folder

pytest.importorskip("torch", reason="PyTorch with CUDA is not installed; it is large, and `pip install torch` adds it")

PROGRAM = """
import torch
from lanework.torch import on_host

a = torch.ones(3, device="cuda") + 1
assert a.is_cuda and a.tolist() == [2.0, 2.0, 2.0], a
# A write to a view changes its base tensor.
m = torch.zeros(4, 4).cuda()
m[1:, 2].add_(5)
assert m.cpu().sum() == 15 and m[2, 2].item() == 5, m
# An `out` argument, and gradients.
torch.add(m, 1, out=m)
assert m.cpu().sum() == 31, m
w = torch.full((4,), 2.0, device="cuda", requires_grad=True)
(w * w).sum().backward()
assert w.grad.tolist() == [4.0] * 4, w.grad
# A half-precision layer norm keeps its sums in single precision, as on a GPU, and computes gradients from them.
x = (torch.arange(4096.0).reshape(8, 512) * 37 % 101 - 300).half().cuda().requires_grad_()
g = torch.ones(512).half().cuda().requires_grad_()
assert [t.dtype for t in torch.native_layer_norm(x, [512], g, None, 1e-5)] == [torch.float16, torch.float32, torch.float32]
d = (torch.arange(4096.0).reshape(8, 512) % 13 - 6).half().cuda()
torch.nn.functional.layer_norm(x, [512], g).backward(d)
xd = x.detach().cpu().double().requires_grad_()
gd = torch.ones(512, dtype=torch.double, requires_grad=True)
torch.nn.functional.layer_norm(xd, [512], gd).backward(d.cpu().double())
for found, true in ((x.grad, xd.grad), (g.grad, gd.grad)):
    assert found.dtype == torch.float16 and torch.allclose(found.cpu().double(), true, atol=1e-3, rtol=1e-3)
# Attention has fused operators that exist for GPUs only.
q = (torch.arange(64.0).reshape(1, 2, 4, 8) % 7).half().cuda()
attended = torch.nn.functional.scaled_dot_product_attention(q, q, q).cpu()
weights = torch.softmax(q.cpu().float() @ q.cpu().float().mT / 8**0.5, -1)
assert torch.allclose(attended.float(), weights @ q.cpu().float(), atol=1e-2)
counts = on_host()
assert counts["aten.ones.default"] == 1 and counts["aten.add_.Tensor"] == 1 and counts["aten.add.out"] == 1, counts
try:
    torch.ones(2, device="cuda") @ torch.ones(3, device="cuda")
except RuntimeError as error:
    assert "no kernel image" not in str(error), error
else:
    raise AssertionError("shapes that do not match")
print("all right", repr(a))
"""


def test_what_lacks_ptx_runs_on_the_host(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [str(folder() / "lanework"), "exec", "--plain", "--", sys.executable, "-m", "lanework.torch", str(program)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "all right tensor([2., 2., 2.], device='cuda:0')" in ran.stdout, ran.stdout

"""Shows how far PyTorch's wheel gets: a line for each operator, with the error that stops it. Then, with `lanework.torch`, it runs a first
program and training steps. Fails if a result is wrong. Run by torch.sh."""

import sys

import torch

torch.backends.cuda.matmul.allow_tf32 = False
random = torch.Generator().manual_seed(1)
a, b = (torch.randn(64, 64, generator=random) for _ in range(2))
on = {name: tensor.cuda() for name, tensor in {"a": a, "b": b}.items()}
failed = False


def attempt(what, operator, want=None):
    """Runs an operator on the GPU, and compares it with the host's result."""
    global failed
    try:
        got = operator()
        torch.cuda.synchronize()
        verdict = "runs"
        if want is not None and not torch.allclose(got.cpu().to(want.dtype), want, rtol=1e-4, atol=1e-4):
            verdict, failed = "WRONG", True
    except Exception as error:
        verdict = str(error).splitlines()[0][:90]
    print(f"{what:<44} {verdict}")


print(f"PyTorch {torch.__version__}, kernels for {' '.join(torch.cuda.get_arch_list())}, on {torch.cuda.get_device_name()}")
attempt("copies to and from the device", lambda: on["a"], a)
attempt("a.clone(), contiguous", on["a"].clone, a)
attempt("views, a[8:].t().t()", lambda: on["a"][8:].t().t(), a[8:])
attempt("a @ b (cuBLAS)", lambda: on["a"] @ on["b"], a @ b)
attempt("torch.bmm (cuBLAS)", lambda: torch.bmm(on["a"][None], on["b"][None])[0], a @ b)
attempt("a.zero_()", lambda: torch.empty_like(on["a"]).zero_(), torch.zeros(64, 64))
attempt("torch.ones(3)", lambda: torch.ones(3, device="cuda"))
attempt("a + 1", lambda: on["a"] + 1, a + 1)
attempt("a.sum()", lambda: on["a"].sum(), a.sum())
attempt("a.sort()", lambda: on["a"].sort().values, a.sort().values)
attempt("torch.special.airy_ai(a) (compiled by NVRTC)", lambda: torch.special.airy_ai(on["a"]), torch.special.airy_ai(a))
attempt("torch.rand(3)", lambda: torch.rand(3, device="cuda"))
attempt("torch.fft.fft(a) (cuFFT)", lambda: torch.fft.fft(on["a"]))
attempt("torch.nn.functional.conv2d (cuDNN)", lambda: torch.nn.functional.conv2d(on["a"][None, None], on["b"][None, None, :3, :3]))
attempt("torch.linalg.inv(a) (cuSOLVER, MAGMA)", lambda: torch.linalg.inv(on["a"]))
attempt("torch.sparse (cuSPARSE)", lambda: torch.sparse.mm(on["a"].to_sparse_csr(), on["b"]))
attempt("torch.compile(a * b + 1) (Triton)", lambda: torch.compile(lambda a, b: a * b + 1)(on["a"], on["b"]), a * b + 1)

import lanework.torch

lanework.torch.install()
print("\nwith lanework.torch")
attempt('torch.ones(3, device="cuda") + 1', lambda: torch.ones(3, device="cuda") + 1, torch.full((3,), 2.0))
attempt("torch.nn.functional.conv2d", lambda: torch.nn.functional.conv2d(on["a"][None, None], on["b"][None, None, :3, :3]))


def trained(device):
    """The losses of an MLP while it learns."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    x, y = torch.randn(64, 16), torch.randint(0, 4, (64,))
    net, x, y = net.to(device), x.to(device), y.to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


attempt("five steps of an MLP under Adam", lambda: trained("cuda"), trained("cpu"))
print("on the host:", ", ".join(f"{name} {count}" for name, count in sorted(lanework.torch.on_host().items())))
sys.exit(failed)

"""Runs PyTorch on Lanework's driver. PyTorch computes operators that its wheels only have as machine code on the host.

The emulator runs PTX, but most kernels in PyTorch's wheels are machine code. Memory, copies, streams, matrix products (by the
stand-in for cuBLAS) and kernels compiled at run time, such as those of Triton and NVRTC, work. If an operator fails because it has no
PTX, `install` makes PyTorch run it on copies of its tensors in host memory and copy the results back. Such operators are neither checked
nor counted; `on_host` lists them with their number of calls.

`lanework exec -- python -m lanework.torch PROGRAM ARGUMENTS` runs an unmodified program, and `pytest -p lanework.torch` runs tests.
"""

from __future__ import annotations

import collections
import runpy
import sys
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

#: Parts of error messages about kernels without PTX.
_LACKS_PTX = (
    "no kernel image is available",
    "device kernel image is invalid",
    "CUDNN_STATUS",
    "cuDNN error",
    "cudnn",
    "CUBLAS_STATUS_NOT_SUPPORTED",
    "cusolver error",
    "cuFFT error",
    "CUSPARSE",
    "cusparse",
)

#: Number of calls of each operator on the host.
_counts: collections.Counter[str] = collections.Counter()
_mode: TorchDispatchMode | None = None


def on_host() -> dict[str, int]:
    """Returns the number of calls of each operator on the host, by name."""
    return dict(_counts)


def install() -> None:
    """Makes operators of this thread, and of its backward passes, run on the host if the wheel has no PTX for them."""
    global _mode
    if _mode is None:
        # Attention by products and a softmax: the fused operators exist only as machine code, and not for the host.
        torch.backends.cuda.enable_cudnn_sdp(False)
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
        # Autograd passes the mode on to the threads of a backward pass.
        _mode = _OnHost()
        _mode.__enter__()
        # Printing disables all modes, but also runs operators.
        of_text = torch._tensor_str._tensor_str

        def with_mode(*args: Any) -> str:
            with _OnHost():
                return of_text(*args)

        torch._tensor_str._tensor_str = with_mode


def _is_on_gpu(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == "cuda"


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the bytes of a tensor's storage as a tensor, which copies do not convert."""
    whole = torch.empty(0, dtype=torch.uint8, device=tensor.device)
    return whole.set_(tensor.untyped_storage())


def _like(tensor: torch.Tensor, storage: torch.UntypedStorage, device: torch.device) -> torch.Tensor:
    """Creates a tensor with the same type, shape and strides in another storage."""
    made = torch.empty(0, dtype=tensor.dtype, device=device)
    return made.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())


def _is_half(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16)


def _types_on_gpu(function: Any, values: list, form: Any) -> list[torch.dtype | None] | None:
    """Returns the types of an operator's results on a GPU, which may differ from the host's: a half-precision layer norm keeps its
    sums in single precision there. Returns `None` if they are unknown, or if no argument has half precision."""
    if not any(_is_half(value) for value in values):
        return None
    try:
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            fakes = [mode.from_tensor(value) if isinstance(value, torch.Tensor) else value for value in values]
            args, kwargs = tree_unflatten(fakes, form)
            return _types_of(function(*args, **kwargs))
    except Exception:  # No fake implementation, or shapes depend on data: keep the host's types.
        return None


def _types_of(results: Any) -> list[torch.dtype | None]:
    return [result.dtype if isinstance(result, torch.Tensor) else None for result in tree_flatten(results)[0]]


def _widened(arguments: Any) -> Any:
    """Converts half-precision arguments to single precision."""
    return tree_map(lambda value: value.float() if _is_half(value) else value, arguments)


class _OnHost(TorchDispatchMode):
    """Runs an operator on the device, or on the host if it has no PTX."""

    def __torch_dispatch__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        values, form = tree_flatten((args, kwargs))
        device = next((value.device for value in values if _is_on_gpu(value)), None)
        asked = kwargs.get("device")
        asked = torch.device(asked) if asked is not None else None
        if device is None and (asked is None or asked.type != "cuda"):
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except (RuntimeError, NotImplementedError) as error:
            if not any(part in str(error) for part in _LACKS_PTX):
                raise
        _counts[str(function)] += 1
        return self._run(function, values, form, asked or device)

    @staticmethod
    def _run(function: Any, values: list, form: Any, device: torch.device) -> Any:
        # Tensors that share a storage share its copy, so each sees the other's writes.
        storages: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        originals: dict[int, torch.Tensor] = {}
        kept: list[torch.Tensor] = []

        def to_host(value: Any) -> Any:
            if isinstance(value, torch.device):
                return torch.device("cpu") if value.type == "cuda" else value
            if isinstance(value, torch.Generator):
                return None if value.device.type == "cuda" else value
            if not _is_on_gpu(value):
                return value
            key = value.untyped_storage().data_ptr()
            if key not in storages:
                whole = _bytes_of(value)
                storages[key] = (whole, whole.to("cpu"))
            copy = _like(value, storages[key][1].untyped_storage(), torch.device("cpu"))
            if value.is_conj():
                copy = copy.conj()
            if value.is_neg():
                copy = torch._neg_view(copy)
            originals[id(copy)] = value
            kept.append(copy)
            return copy

        args, kwargs = tree_unflatten([to_host(value) for value in values], form)
        # Half-precision products on the host round as on a GPU, because sums have single precision.
        written = [argument.name for argument in function._schema.arguments if argument.alias_info and argument.alias_info.is_write]
        promised = _types_on_gpu(function, values, form) if len(function._schema.returns) > 1 else None
        try:
            result = function(*args, **kwargs)
            wider = promised is not None and promised != _types_of(result)
        except RuntimeError as error:
            # The host's operator may refuse mixed precisions that the GPU's accepts.
            if "expected scalar type" not in str(error):
                raise
            promised = promised or _types_on_gpu(function, values, form)
            if promised is None or written:
                raise
            wider = True
        if wider and not written:
            result = function(*_widened(args), **_widened(kwargs))
        if written:
            for whole, copy in storages.values():
                whole.copy_(copy)
            for copy in kept:
                original = originals[id(copy)]
                if copy.size() != original.size():
                    original.resize_(copy.size())
                    _bytes_of(original).copy_(_bytes_of(copy))

        def to_device(value: Any, type_on_gpu: torch.dtype | None) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            if id(value) in originals:
                return originals[id(value)]
            if device.type != "cuda":
                return value
            value = value.resolve_conj().resolve_neg()
            if type_on_gpu is not None:
                value = value.to(type_on_gpu)
            whole = _bytes_of(value)
            moved = torch.empty(whole.numel(), dtype=torch.uint8, device=device)
            moved.copy_(whole)
            return _like(value, moved.untyped_storage(), device)

        results, form = tree_flatten(result)
        if promised is None or len(promised) != len(results):
            promised = [None] * len(results)
        return tree_unflatten([to_device(*pair) for pair in zip(results, promised)], form)


def pytest_configure() -> None:
    """For `pytest -p lanework.torch`."""
    install()


def main() -> None:
    """Runs a program; operators without PTX run on the host."""
    if len(sys.argv) < 2:
        sys.exit("error: no program is given\n  = help: python -m lanework.torch PROGRAM ARGUMENTS")
    del sys.argv[0]
    install()
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    # Imports this module by name, so a program that imports it sees the same counts.
    from lanework.torch import main as _main

    _main()

"""One hash for a set of named tensors: equal only if every name, type, shape and bit is."""

import hashlib
from collections.abc import Mapping

import torch
from torch import Tensor


def fingerprint(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over tensors in the order of their names; the device does not matter."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        values = tensors[name].detach().cpu().contiguous()
        # repr of the name: no name can imitate the end of another entry's header.
        digest.update(f"{name!r} {values.dtype} {tuple(values.shape)}\n".encode())
        digest.update(values.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()

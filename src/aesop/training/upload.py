"""Small arrays on their way to the device."""

import numpy as np
import torch
from jaxtyping import Shaped
from torch import Tensor


def upload(
    values: Shaped[np.ndarray, "..."] | float, device: torch.device, dtype: torch.dtype
) -> Shaped[Tensor, "..."]:
    """Copy without making the host wait for the steps that are still running on the device."""
    tensor = torch.as_tensor(np.array(values)).to(dtype)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)

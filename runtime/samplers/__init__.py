"""The named samplers, and the one that is used where none is named."""

from types import MappingProxyType

from runtime.denoise import Sampler
from runtime.samplers.fast import FastSampler
from runtime.samplers.reference import ReferenceSampler

SAMPLERS: MappingProxyType[str, Sampler] = MappingProxyType(
    {
        "reference": ReferenceSampler(),
        "fast": FastSampler(),
    }
)

DEFAULT_SAMPLER = "fast"

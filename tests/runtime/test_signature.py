"""The chain of slices that a manifest describes."""

from dataclasses import replace

import pytest

from runtime.records import RecordError
from runtime.signature import Geometry, GraphSignature, LayerGeometry, TensorSpec, check_slices, step_signature

WHOLE = step_signature(Geometry(100, 8, 4, 32, 8, (LayerGeometry("full_attention", 1, 4),)))
HIDDEN = TensorSpec("hidden_1", "float32", ("batch", "length", 8))


def named(specs, *names):
    return tuple(spec for spec in specs if spec.name in names)


LAYER = GraphSignature(
    named(WHOLE.inputs, "input_ids", "soft_embeddings", "denoise", "pad_length", "past_key_0", "past_value_0"),
    (HIDDEN, *named(WHOLE.outputs, "present_key_0", "present_value_0")),
)
HEAD = GraphSignature(
    (*named(WHOLE.inputs, "logit_rows", "temperature", "uniform", "scored_ids"), HIDDEN),
    named(WHOLE.outputs, "sampled", "argmax", "entropy", "log_likelihood", "next_soft_embeddings"),
)


def test_a_chain_that_makes_every_output_is_accepted():
    check_slices(WHOLE, (LAYER, HEAD))
    check_slices(WHOLE, (WHOLE,))


@pytest.mark.parametrize(
    ("slices", "complaint"),
    [
        ((HEAD, LAYER), "slice 0 takes hidden_1, which is not there or is of another type or shape"),
        ((LAYER,), "no slice makes sampled"),
        ((LAYER, LAYER, HEAD), "slice 1 makes hidden_1, which is there already"),
        ((LAYER, replace(HEAD, outputs=HEAD.outputs[:-1])), "no slice makes next_soft_embeddings"),
        (
            (LAYER, replace(HEAD, inputs=(replace(HIDDEN, dtype="bool"),))),
            "slice 1 takes hidden_1, which is not there or is of another type or shape",
        ),
        (
            (LAYER, replace(HEAD, inputs=(replace(HIDDEN, shape=("batch", "length", 9)),))),
            "slice 1 takes hidden_1, which is not there or is of another type or shape",
        ),
    ],
)
def test_a_chain_with_a_gap_is_refused(slices, complaint):
    with pytest.raises(RecordError, match=complaint):
        check_slices(WHOLE, slices)

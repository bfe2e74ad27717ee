"""The step graph of a real (tiny, random) bundle through ONNX Runtime."""

from dataclasses import replace

import numpy as np
import pytest

from runtime.bundle import load_bundle
from runtime.denoise import StepInputs
from runtime.errors import BundleError, ModelError, RequestError
from runtime.score import ScoreInputs
from runtime.session import Prefix, StepSession


@pytest.fixture(scope="module")
def session(tiny_bundle):
    return StepSession(load_bundle(tiny_bundle))


def token_ids(session, *shape, seed=0):
    return np.random.default_rng(seed).integers(0, session.geometry.vocab_size, shape)


def step_inputs(session, canvas):
    batch, length = canvas.shape
    return StepInputs(
        canvas=canvas,
        soft_embeddings=np.zeros((batch, length, session.geometry.hidden_size), dtype=np.float32),
        temperature=np.full(batch, 0.7, dtype=np.float32),
        uniform=np.random.default_rng(1).random((batch, length), dtype=np.float32),
    )


def assert_close(one, other):
    for left, right in zip(one, other, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)


class TestEncode:
    def test_the_prefix_has_each_layer_s_shape(self, session):
        prefix = session.encode(token_ids(session, 2, 5))
        shapes = [(2, layer.kv_heads, 5, layer.head_dim) for layer in session.geometry.layers for _ in range(2)]
        assert [array.shape for array in prefix.arrays] == shapes
        assert all(array.dtype == np.float32 for array in prefix.arrays)
        assert (prefix.length, prefix.pad_length.tolist()) == (5, [0, 0])

    def test_in_pieces_or_at_once_is_the_same(self, session):
        ids = token_ids(session, 1, 11)
        at_once = session.encode(ids)
        in_pieces = None
        for piece in (ids[:, :1], ids[:, 1:7], ids[:, 7:]):
            in_pieces = session.encode(piece, in_pieces)
        assert in_pieces.length == 11
        assert_close(in_pieces.arrays, at_once.arrays)

    def test_the_given_prefix_is_left_as_it_was(self, session):
        prefix = session.encode(token_ids(session, 1, 4))
        before = [array.copy() for array in prefix.arrays]
        longer = session.encode(token_ids(session, 1, 3, seed=1), prefix)
        assert (prefix.length, longer.length) == (4, 7)
        assert all(np.array_equal(array, copy) for array, copy in zip(prefix.arrays, before, strict=True))


class TestDenoise:
    def test_the_answer_has_shapes_types_and_ranges(self, session):
        canvas = token_ids(session, 1, session.geometry.canvas_length)
        output = session.denoise(step_inputs(session, canvas), session.encode(token_ids(session, 1, 6)))
        for ids in (output.sampled, output.argmax):
            assert ids.shape == canvas.shape and ids.dtype == np.int64
            assert (ids >= 0).all() and (ids < session.geometry.vocab_size).all()
        assert output.entropy.shape == canvas.shape and output.entropy.dtype == np.float32
        assert (output.entropy >= 0).all() and (output.entropy <= np.log(session.geometry.vocab_size) + 1e-5).all()
        assert output.soft_embeddings.shape == (*canvas.shape, session.geometry.hidden_size)

    @pytest.mark.parametrize("length", [1, 3])
    def test_a_canvas_may_be_shorter_than_the_model_s(self, session, length):
        canvas = token_ids(session, 1, length)
        output = session.denoise(step_inputs(session, canvas), session.encode(token_ids(session, 1, 6)))
        assert output.argmax.shape == (1, length)

    def test_the_same_inputs_give_the_same_bytes(self, session):
        prefix, inputs = session.encode(token_ids(session, 1, 6)), step_inputs(session, token_ids(session, 1, 8))
        one, other = session.denoise(inputs, prefix), session.denoise(inputs, prefix)
        assert one.entropy.tobytes() == other.entropy.tobytes()
        assert one.soft_embeddings.tobytes() == other.soft_embeddings.tobytes()

    def test_left_padding_changes_nothing(self, session):
        short, canvas = token_ids(session, 1, 4), token_ids(session, 1, 8, seed=2)
        padded = np.concatenate([np.zeros((1, 3), dtype=np.int64), short], axis=1)
        alone = session.denoise(step_inputs(session, canvas), session.encode(short))
        behind_padding = session.denoise(
            step_inputs(session, canvas), session.encode(padded, pad_length=np.array([3], dtype=np.int64))
        )
        assert_close([behind_padding.entropy, behind_padding.soft_embeddings], [alone.entropy, alone.soft_embeddings])

    def test_self_conditioning_reaches_the_model(self, session):
        prefix, inputs = session.encode(token_ids(session, 1, 6)), step_inputs(session, token_ids(session, 1, 8))
        first = session.denoise(inputs, prefix)
        second = session.denoise(
            StepInputs(inputs.canvas, first.soft_embeddings, inputs.temperature, inputs.uniform), prefix
        )
        assert not np.array_equal(first.entropy, second.entropy)


class TestScore:
    def test_the_likelihoods_of_all_tokens_make_a_distribution(self, session):
        prefix, canvas = session.encode(token_ids(session, 1, 6)), token_ids(session, 1, 3)
        every = np.arange(session.geometry.vocab_size)
        scores = [session.score(ScoreInputs(canvas, np.full((1, 3), token)), prefix) for token in every]
        np.testing.assert_allclose(np.exp(np.stack(scores, dtype=np.float64)).sum(axis=0), 1.0, rtol=1e-4)
        argmax = session.denoise(step_inputs(session, canvas), prefix).argmax
        assert np.stack(scores).argmax(axis=0).tolist() == argmax.tolist()

    def test_what_is_scored_is_not_seen(self, session):
        """Each position's answer depends on the canvas, and of the scored tokens on its own only."""
        prefix, canvas = session.encode(token_ids(session, 1, 6)), token_ids(session, 1, 8)
        scored_ids = token_ids(session, 1, 8, seed=1)
        other_ids = np.where(np.arange(8) < 4, scored_ids, (scored_ids + 1) % session.geometry.vocab_size)
        one, other = (session.score(ScoreInputs(canvas, ids), prefix) for ids in (scored_ids, other_ids))
        assert (one == other).tolist() == [[True] * 4 + [False] * 4]


class TestSignature:
    """The manifest says one thing and the graph is another."""

    @pytest.mark.parametrize(
        ("tensor", "change", "complaint"),
        [
            ("inputs", {"name": "canvas"}, "its inputs are other ones than the manifest's"),
            ("outputs", {"name": "drawn"}, "its outputs are other ones than the manifest's"),
            ("inputs", {"dtype": "float32"}, r"input input_ids is tensor\(int64\), not float32"),
            ("inputs", {"shape": ("batch",)}, r"input input_ids has shape \[.*\], not \['batch'\]"),
            ("outputs", {"dtype": "bool"}, r"output sampled is tensor\(int64\), not bool"),
        ],
    )
    def test_a_graph_that_differs_is_refused(self, tiny_bundle, tensor, change, complaint):
        bundle = load_bundle(tiny_bundle)
        first, *others = getattr(bundle.manifest.signature, tensor)
        signature = replace(bundle.manifest.signature, **{tensor: (replace(first, **change), *others)})
        with pytest.raises(BundleError, match=rf"^step\.onnx is not the graph that .* describes: {complaint}"):
            StepSession(replace(bundle, manifest=replace(bundle.manifest, signature=signature)))

    def test_names_out_of_order_are_refused_too(self, tiny_bundle):
        bundle = load_bundle(tiny_bundle)
        signature = replace(bundle.manifest.signature, outputs=bundle.manifest.signature.outputs[::-1])
        with pytest.raises(BundleError, match="a name out of order"):
            StepSession(replace(bundle, manifest=replace(bundle.manifest, signature=signature)))


class TestFailures:
    @pytest.mark.parametrize("poison", [np.nan, np.inf])
    def test_numbers_that_are_not_finite_never_become_text(self, session, poison):
        inputs = step_inputs(session, token_ids(session, 1, 8))
        inputs.soft_embeddings[0, 2, 0] = poison
        with pytest.raises(ModelError, match="numbers that are not finite") as caught:
            session.denoise(inputs, session.encode(token_ids(session, 1, 6)))
        assert caught.value.code == "not-finite"

    def test_what_the_graph_refuses_is_one_line(self, session):
        with pytest.raises(ModelError, match="ONNX Runtime failed in encoding") as caught:
            session.encode(np.full((1, 3), session.geometry.vocab_size + 5))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("threads", [0, 257, 1.5])
    def test_a_number_of_threads_out_of_range_is_refused(self, tiny_bundle, threads):
        with pytest.raises(RequestError, match="threads"):
            StepSession(load_bundle(tiny_bundle), threads)


def test_an_empty_prefix_has_no_positions(session):
    prefix = Prefix.empty(session.geometry, np.array([0, 2], dtype=np.int64))
    assert prefix.length == 0
    assert {array.shape[0] for array in prefix.arrays} == {2}

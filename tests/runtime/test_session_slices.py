"""A step graph in slices: the numbers, the memory and the time of the whole."""

import json
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from runtime.bundle import load_bundle
from runtime.denoise import StepInputs
from runtime.errors import BundleError, ModelError
from runtime.session import StepSession

STEPS = 3

MEMORY_GROWTH = """
import sys
import numpy as np
from runtime.bundle import load_bundle
from runtime.denoise import StepInputs
from runtime.session import StepSession

def resident():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))

bundle = load_bundle(sys.argv[1])
before = resident()
session = StepSession(bundle)
geometry = session.geometry
prefix = session.encode(np.arange(24)[None])
canvas = np.arange(geometry.canvas_length)[None]
zeros = np.zeros((*canvas.shape, geometry.hidden_size), dtype=np.float32)
for _ in range(2):
    session.denoise(StepInputs(canvas, zeros, np.ones(1, dtype=np.float32), zeros[..., 0]), prefix)
print(resident() - before)
"""


def passes(session, batch=1):
    """Arrays of an encode in two chunks, left-padded, and of denoising steps behind it, each on the one before."""
    geometry, random = session.geometry, np.random.default_rng(5)
    padding = np.arange(batch, dtype=np.int64) + 2
    prefix = session.encode(random.integers(0, geometry.vocab_size, (batch, 21)), pad_length=padding)
    prefix = session.encode(random.integers(0, geometry.vocab_size, (batch, 9)), prefix)
    found = list(prefix.arrays)
    canvas = random.integers(0, geometry.vocab_size, (batch, geometry.canvas_length))
    soft_embeddings = np.zeros((*canvas.shape, geometry.hidden_size), dtype=np.float32)
    for _ in range(STEPS):
        uniform = random.random(canvas.shape, dtype=np.float32)
        temperature = np.full(batch, 0.6, dtype=np.float32)
        output = session.denoise(StepInputs(canvas, soft_embeddings, temperature, uniform), prefix)
        found += [output.sampled, output.argmax, output.entropy, output.soft_embeddings]
        canvas, soft_embeddings = output.sampled, output.soft_embeddings
    return found


def assert_the_same_bytes(one, other):
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        assert (left.shape, left.dtype, left.tobytes()) == (right.shape, right.dtype, right.tobytes())


@pytest.fixture(scope="module")
def sessions(wide_bundle, wide_slices):
    """By number of slices, of the same model in fp32."""
    folders = {1: wide_bundle, **wide_slices}
    return {slices: StepSession(load_bundle(folder)) for slices, folder in folders.items()}


@pytest.fixture
def prefix_and_inputs(sessions):
    """A prefix, and what a denoising step behind it takes."""
    geometry = sessions[1].geometry
    canvas = np.arange(geometry.canvas_length)[None]
    zeros = np.zeros((*canvas.shape, geometry.hidden_size), dtype=np.float32)
    inputs = StepInputs(canvas, zeros, np.ones(1, dtype=np.float32), zeros[..., 0])
    return sessions[1].encode(np.arange(24)[None]), inputs


class TestNumbers:
    @pytest.mark.parametrize("batch", [1, 3])
    @pytest.mark.parametrize("slices", [2, 3, 4])
    def test_in_fp32(self, sessions, slices, batch):
        assert sessions[slices].slices == slices
        assert_the_same_bytes(passes(sessions[slices], batch), passes(sessions[1], batch))

    @pytest.mark.parametrize("threads", [1, 2])
    @pytest.mark.parametrize("slices", [2, 3])
    def test_with_int4_experts(self, tiny_bundle, tiny_slices, slices, threads):
        whole, cut = (StepSession(load_bundle(folder), threads) for folder in (tiny_bundle, tiny_slices[slices]))
        assert cut.slices == slices
        assert_the_same_bytes(passes(cut), passes(whole))

    def test_other_passes_may_run_in_between(self, sessions, prefix_and_inputs):
        prefix, inputs = prefix_and_inputs
        expected = sessions[1].denoise(inputs, prefix)
        one, other = (sessions[4].begin_denoise(inputs, prefix) for _ in range(2))
        while not one.finished:
            one.run_slice()
            sessions[4].encode(np.arange(7)[None], prefix)
            other.run_slice()
        assert one.result.entropy.tobytes() == other.result.entropy.tobytes() == expected.entropy.tobytes()


class TestPass:
    def test_it_is_run_a_slice_at_a_time(self, sessions, prefix_and_inputs):
        prefix, inputs = prefix_and_inputs
        step = sessions[4].begin_denoise(inputs, prefix)
        for done in range(4):
            assert (step.slices_done, step.finished) == (done, False)
            step.run_slice()
        assert (step.slices_done, step.finished) == (4, True)

    def test_an_encode_pass_does_not_run_the_head(self, sessions):
        encoding = sessions[4].begin_encode(np.arange(5)[None])
        assert encoding.run().length == 5
        assert encoding.slices_done == 3

    def test_a_pass_that_was_begun_is_run_to_its_end(self, sessions, prefix_and_inputs):
        prefix, inputs = prefix_and_inputs
        step = sessions[4].begin_denoise(inputs, prefix)
        step.run_slice()
        assert step.run().argmax.tobytes() == sessions[1].denoise(inputs, prefix).argmax.tobytes()

    def test_numbers_that_are_not_finite_are_found_in_the_last_slice(self, sessions, prefix_and_inputs):
        prefix, inputs = prefix_and_inputs
        inputs.soft_embeddings[0, 2, 0] = np.nan
        step = sessions[4].begin_denoise(inputs, prefix)
        for _ in range(3):
            step.run_slice()
        with pytest.raises(ModelError, match="numbers that are not finite"):
            step.run_slice()
        assert not step.finished


class TestCost:
    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured in /proc")
    def test_the_weights_are_in_memory_once(self, wide_bundle, wide_slices):
        grown = [
            int(subprocess.run([sys.executable, "-c", MEMORY_GROWTH, folder], capture_output=True, check=True).stdout)
            for folder in (wide_bundle, wide_slices[4])
        ]
        assert grown[0] > (wide_bundle / "step.onnx.data").stat().st_size > 60_000_000
        assert grown[1] < 1.15 * grown[0]

    def test_the_longest_slice_takes_its_share_of_a_step(self, sessions, prefix_and_inputs):
        """Least times of many, taken in turns: noise makes them longer, never shorter."""
        prefix, inputs = prefix_and_inputs
        whole, slices = [], [[] for _ in range(4)]
        for _ in range(15):
            started_s = time.perf_counter()
            sessions[1].denoise(inputs, prefix)
            whole.append(time.perf_counter() - started_s)
            step = sessions[4].begin_denoise(inputs, prefix)
            for taken in slices:
                started_s = time.perf_counter()
                step.run_slice()
                taken.append(time.perf_counter() - started_s)
        assert max(map(min, slices)) < 0.7 * min(whole)


@contextmanager
def edited_slices(folder):
    """What bundle.json says of the slices, to be changed in place."""
    manifest = folder / "bundle.json"
    data = json.loads(manifest.read_text(encoding="utf-8"))
    yield data["slices"]
    manifest.write_text(json.dumps(data), encoding="utf-8")


class TestDamage:
    @pytest.fixture
    def bundle_copy(self, tiny_slices, tmp_path):
        return shutil.copytree(tiny_slices[3], tmp_path / "copy")

    @pytest.mark.parametrize("name", ["step.0.onnx", "step.2.onnx"])
    def test_a_missing_slice_is_named(self, bundle_copy, name):
        (bundle_copy / name).unlink()
        with pytest.raises(BundleError, match=rf"^{name} is missing from "):
            load_bundle(bundle_copy)

    def test_a_damaged_slice_is_named(self, bundle_copy):
        content = bytearray((bundle_copy / "step.1.onnx").read_bytes())
        content[len(content) // 2] ^= 1
        (bundle_copy / "step.1.onnx").write_bytes(content)
        with pytest.raises(BundleError, match=r"^step\.1\.onnx does not match its SHA-256 sum"):
            load_bundle(bundle_copy)

    @pytest.mark.parametrize("other", ["step.0.onnx", "step.2.onnx"])
    def test_a_slice_in_the_place_of_another_is_named(self, bundle_copy, other):
        bundle = load_bundle(bundle_copy)
        (bundle_copy / "step.1.onnx").write_bytes((bundle_copy / other).read_bytes())
        with pytest.raises(BundleError, match=r"^step\.1\.onnx is not the graph that bundle\.json describes"):
            StepSession(bundle)

    def test_a_slice_that_is_no_graph_is_named(self, bundle_copy):
        bundle = load_bundle(bundle_copy)
        (bundle_copy / "step.1.onnx").write_bytes(b"no graph at all")
        with pytest.raises(BundleError, match=r"^ONNX Runtime [\d.]+ cannot load step\.1\.onnx"):
            StepSession(bundle)

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"name": "hidden_7"}, r"its outputs are other ones than the manifest's"),
            ({"dtype": "bool"}, r"output hidden_1 is tensor\(float\), not bool"),
            ({"shape": ["batch", "length", 65]}, r"output hidden_1 has shape \['batch', 'length', 64\], not "),
        ],
    )
    def test_what_is_handed_on_has_to_be_what_the_manifest_says(self, bundle_copy, change, complaint):
        with edited_slices(bundle_copy) as slices:
            for spec in [spec for part in slices for spec in part["inputs"] + part["outputs"]]:
                if spec["name"] == "hidden_1":
                    spec.update(change)
        with pytest.raises(BundleError, match=rf"^step\.0\.onnx is not the graph that .* describes: {complaint}"):
            StepSession(load_bundle(bundle_copy))

    def test_a_manifest_with_a_gap_is_refused(self, bundle_copy):
        with edited_slices(bundle_copy) as slices:
            del slices[1]
        with pytest.raises(BundleError, match=r"^bundle\.json is not complete: slice 1 takes "):
            load_bundle(bundle_copy)

    def test_slices_without_their_files_are_refused(self, bundle_copy):
        with edited_slices(bundle_copy) as slices:
            slices.clear()
        with pytest.raises(BundleError, match=r"^bundle\.json lists no file step\.onnx"):
            load_bundle(bundle_copy)

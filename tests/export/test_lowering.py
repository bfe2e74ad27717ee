"""Each construction by itself, in ONNX Runtime, against transformers' own module with the weights that are stored."""

import numpy as np
import onnx
import onnx_ir
import onnxruntime
import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from transformers.models.diffusion_gemma.modeling_diffusion_gemma import (
    DiffusionGemmaTextExperts,
    DiffusionGemmaTextRouter,
    DiffusionGemmaTextScaledWordEmbedding,
)

from export.config import ExportOptions
from export.errors import ExportError
from export.lowered_embedding import FullEmbedding, QuantisedEmbedding
from export.lowered_experts import LoweredExperts, RouterLogits, fold_scale
from export.lowered_linear import FullLinear, Part, QuantisedLinear, SideBySide
from export.lowering import check_lowering
from export.quantise import dequantise, quantise
from export.quantiser import Quantiser
from export.safetensors_header import read_header
from export.trace import OPSET, quiet_exporter
from export.weight_reader import WeightReader
from export.write_out import write_out
from tests.checkpoints import tiny_config

TOKENS = 33
QUANTISERS = [Quantiser(bits, block_size) for bits in (4, 8) for block_size in (32, 64)]


class Routed(nn.Module):
    """Router and experts as a layer calls them."""

    def __init__(self, router, experts):
        super().__init__()
        self.router, self.experts = router, experts

    def forward(self, hidden):
        _, weights, indices = self.router(hidden)
        return self.experts(hidden, indices, weights)


def run(module, values, tmp_path, threads=0):
    """Trace `module` with a dynamic first axis and run it in ONNX Runtime."""
    return session_of(module, values, tmp_path, threads).run(None, {"x": values.numpy()})[0]


def session_of(module, values, tmp_path, threads=0):
    path = tmp_path / "module.onnx"
    with torch.no_grad(), quiet_exporter():
        program = torch.onnx.export(
            module.eval(), (values[:2],), dynamo=True, dynamic_shapes=({0: "tokens"},), opset_version=OPSET,
            input_names=["x"], verbose=False,
        )  # fmt: skip
    write_out(program.model)
    onnx_ir.save(program.model, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@torch.no_grad()
def filled(module, tensors, tmp_path):
    """A lowered module with the values that it makes of a checkpoint's tensors."""
    file = tmp_path / "tensors.safetensors"
    save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, file)
    reader = WeightReader(tmp_path, read_header(file).tensors)
    for owner in module.modules():
        for stored in getattr(owner, "stored", ()):
            pieces = zip(*stored.make(reader), strict=True)
            for target, parts in zip(stored.targets, pieces, strict=True):
                buffer = owner.get_buffer(target)
                whole = np.concatenate([part.reshape(-1) for part in parts])
                buffer.copy_(torch.from_numpy(whole).reshape(buffer.shape))
    return module


def assert_close(found, expected, tolerance):
    expected = expected.detach().numpy()
    assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()


@pytest.fixture
def hidden():
    return torch.randn((TOKENS, 64), generator=torch.Generator().manual_seed(0))


def routed(activation):
    torch.manual_seed(0)
    text = tiny_config(activation).text_config
    router, experts = DiffusionGemmaTextRouter(text), DiffusionGemmaTextExperts(text)
    with torch.no_grad():
        for parameter in (*router.parameters(), *experts.parameters()):
            parameter.normal_(std=0.2)
        router.per_expert_scale.uniform_(0.5, 1.5)
        router.scale.uniform_(2.0, 6.0)
    return Routed(router, experts)


def lowered(original, activation, quantiser, tmp_path):
    """The experts of a `Routed` as they are stored, with the router's logits before them."""
    tensors = {f"layer.experts.{name}": weight for name, weight in original.experts.named_parameters()}
    tensors["layer.router.per_expert_scale"] = original.router.per_expert_scale
    experts = LoweredExperts(original.experts, "layer", 2, activation, quantiser)
    return filled(experts, tensors, tmp_path)


@pytest.mark.parametrize("activation", ["gelu_pytorch_tanh", "silu"])
def test_experts_are_exact(hidden, tmp_path, activation):
    original = routed(activation)
    experts = lowered(original, activation, None, tmp_path)
    found = run(Routed(RouterLogits(original.router), experts), hidden, tmp_path)
    assert_close(found, original(hidden), 1e-5)


@pytest.mark.parametrize("activation", ["gelu_pytorch_tanh", "silu"])
@pytest.mark.parametrize("quantiser", [Quantiser(4, 32), Quantiser(4, 64), Quantiser(4, 32, asymmetric=True)])
def test_quantised_experts_compute_with_the_stored_weights(hidden, tmp_path, activation, quantiser):
    original = routed(activation)
    experts = lowered(original, activation, quantiser, tmp_path)
    found = run(Routed(RouterLogits(original.router), experts), hidden, tmp_path)

    exact = original(hidden).detach()
    with torch.no_grad():
        scale, gate_up, down = original.router.per_expert_scale, *original.experts.parameters()
        folded = fold_scale(down.numpy(), scale.numpy())
        down.copy_(torch.from_numpy(dequantise(quantiser(folded))))
        gate_up.copy_(torch.from_numpy(dequantise(quantiser(gate_up.numpy()))))
        scale.fill_(1.0)
    assert_close(found, original(hidden), 1e-5)
    # Far from the original weights: the comparison above would notice another scale or another order of rows.
    assert np.abs(found - exact.numpy()).max() > 1e-2 * exact.abs().max()


@pytest.mark.parametrize("quantiser", [*QUANTISERS, Quantiser(4, 32, asymmetric=True)])
@pytest.mark.parametrize(("in_features", "bias"), [(64, False), (72, True), (96, True)])
def test_quantised_linear_computes_with_the_stored_weights(tmp_path, quantiser, in_features, bias):
    torch.manual_seed(0)
    linear = nn.Linear(in_features, 48, bias=bias)
    values = torch.randn(TOKENS, in_features)
    tensors = {f"linear.{name}": parameter for name, parameter in linear.named_parameters()}
    module = filled(QuantisedLinear([linear], ["linear"], quantiser), tensors, tmp_path)
    found = run(module, values, tmp_path)
    with torch.no_grad():
        linear.weight.copy_(torch.from_numpy(dequantise(quantiser(linear.weight.numpy()))))
    assert_close(found, linear(values), 1e-5)


@pytest.mark.parametrize("bias", [False, True])
def test_a_full_linear_is_exact(tmp_path, bias):
    linear = nn.Linear(72, 48, bias=bias)
    values = torch.randn(3, TOKENS, 72)
    tensors = {f"linear.{name}": parameter for name, parameter in linear.named_parameters()}
    found = run(filled(FullLinear(linear, "linear"), tensors, tmp_path), values, tmp_path)
    assert_close(found, linear(values), 1e-5)


class RoutedByItsFirstNumbers(nn.Module):
    """Experts without a router, whose product would round a single token in its own way."""

    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, hidden):
        return self.experts(hidden, hidden[:, :8], None)


@pytest.mark.parametrize("activation", ["gelu_pytorch_tanh", "silu"])
@pytest.mark.parametrize("quantiser", [None, Quantiser(4, 32)], ids=["fp32", "int4"])
def test_a_token_gets_the_same_bits_from_its_experts_alone_and_in_company(hidden, tmp_path, activation, quantiser):
    experts = lowered(routed(activation), activation, quantiser, tmp_path)
    session = session_of(RoutedByItsFirstNumbers(experts), hidden, tmp_path, threads=1)
    (together,) = session.run(None, {"x": hidden.numpy()})
    for token in range(TOKENS):
        (alone,) = session.run(None, {"x": hidden.numpy()[token : token + 1]})
        np.testing.assert_array_equal(alone[0], together[token])


class SideBySideAgain(nn.Module):
    """The parts, one behind the other as a layer calls them."""

    def __init__(self, linears, tmp_path):
        super().__init__()
        names = [f"linear {index}" for index in range(len(linears))]
        tensors = {
            f"{name}.{part}": parameter
            for name, linear in zip(names, linears, strict=True)
            for part, parameter in linear.named_parameters()
        }
        self.whole = filled(SideBySide(linears, names, Quantiser(8, 32)), tensors, tmp_path)
        self.parts = nn.ModuleList(Part(self.whole, index) for index in range(len(linears)))

    def forward(self, values):
        return torch.cat([part(values) for part in self.parts], dim=-1)


@pytest.mark.parametrize("bias", [False, True])
def test_layers_side_by_side_are_one_product(tmp_path, bias):
    torch.manual_seed(0)
    linears = [nn.Linear(64, size, bias=bias) for size in (48, 16, 32)]
    values = torch.randn(TOKENS, 64)
    found = run(SideBySideAgain(linears, tmp_path), values, tmp_path)
    nodes = onnx.load(tmp_path / "module.onnx").graph.node
    assert [node.op_type for node in nodes].count("MatMulNBits") == 1
    with torch.no_grad():
        for linear in linears:
            linear.weight.copy_(torch.from_numpy(dequantise(quantise(linear.weight.numpy(), 8, 32))))
    assert_close(found, torch.cat([linear(values) for linear in linears], dim=-1), 1e-5)


def test_wide_products_are_the_same_with_one_thread_and_with_two(tmp_path):
    """The pocket model's queries, keys and values: apart, the keys alone would not be."""
    torch.manual_seed(0)
    linears = [nn.Linear(192, size, bias=False) for size in (192, 96, 96)]
    module, values = SideBySideAgain(linears, tmp_path), torch.randn(TOKENS, 192)
    one, two = (run(module, values, tmp_path, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("hidden_size", [64, 72])
def test_a_quantised_embedding_does_what_the_stored_one_does(tmp_path, hidden_size):
    """All three uses: looked up, as the head, and its mean under probabilities. 72 does not fill its blocks."""
    torch.manual_seed(0)
    original = DiffusionGemmaTextScaledWordEmbedding(9000, hidden_size, 0, embed_scale=hidden_size**0.5)
    quantised = QuantisedEmbedding(original, "embedding", Quantiser(8, 32))
    filled(quantised, {"embedding.weight": original.weight}, tmp_path)
    with torch.no_grad():
        original.weight.copy_(torch.from_numpy(dequantise(quantise(original.weight.detach().numpy(), 8, 32))))

    ids = torch.randint(0, 9000, (TOKENS, 3))
    hidden, probabilities = torch.randn(TOKENS, hidden_size), torch.rand(TOKENS, 9000).softmax(-1)
    for use, values in (("forward", ids), ("logits", hidden), ("expected", probabilities)):
        session = session_of(Use(quantised, use), values, tmp_path)
        expected = Use(FullEmbedding(original), use)(values)
        assert_close(session.run(None, {"x": values.numpy()})[0], expected, 1e-5)
        # An encode pass asks for no logits.
        assert session.run(None, {"x": values.numpy()[:0]})[0].shape == (0, *expected.shape[1:])


class Use(nn.Module):
    """One of an embedding's methods as a module."""

    def __init__(self, embedding, use):
        super().__init__()
        self.embedding, self.use = embedding, use

    def forward(self, values):
        return getattr(self.embedding, self.use)(values)


@pytest.mark.parametrize("activation", ["gelu", "relu", "quick_gelu"])
def test_an_activation_that_nothing_computes_exactly_is_refused(activation):
    with pytest.raises(ExportError, match=activation):
        check_lowering(tiny_config(activation).text_config, ExportOptions("checkpoint", "out", experts="fp32"))

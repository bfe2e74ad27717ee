"""Each construction by itself, in ONNX Runtime, against transformers' own module with the weights that are stored."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn
from transformers.models.diffusion_gemma.modeling_diffusion_gemma import (
    DiffusionGemmaTextExperts,
    DiffusionGemmaTextRouter,
)

from export.config import ExportOptions
from export.errors import ExportError
from export.lowered_experts import DenseExperts, FusedExperts, QuantisedExperts, RouterLogits, fold_scale
from export.lowered_linear import Part, QuantisedLinear, SideBySide
from export.lowering import DENSE, FUSED, expert_lowering
from export.quantise import dequantise, quantise
from export.trace import OPSET, quiet_exporter
from tests.checkpoints import tiny_config

TOKENS = 33


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
        torch.onnx.export(
            module.eval(), (values[:5],), path, dynamo=True, dynamic_shapes=({0: "tokens"},), opset_version=OPSET,
            input_names=["x"], verbose=False,
        )  # fmt: skip
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


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


def test_fused_experts_are_exact(hidden, tmp_path):
    original = routed("silu")
    fused = FusedExperts(original.experts, original.router.per_expert_scale, top_k=2)
    found = run(Routed(RouterLogits(original.router), fused), hidden, tmp_path)
    assert_close(found, original(hidden), 1e-5)


@pytest.mark.parametrize("activation", ["gelu_pytorch_tanh", "silu"])
def test_dense_experts_are_exact(hidden, tmp_path, activation):
    original = routed(activation)
    found = run(Routed(original.router, DenseExperts(original.experts)), hidden, tmp_path)
    assert_close(found, original(hidden), 1e-5)


@pytest.mark.parametrize("block_size", [32, 64])
def test_quantised_experts_compute_with_the_stored_weights(hidden, tmp_path, block_size):
    original = routed("silu")
    scale = original.router.per_expert_scale
    lowered = QuantisedExperts(original.experts, scale, top_k=2, block_size=block_size)
    found = run(Routed(RouterLogits(original.router), lowered), hidden, tmp_path)

    exact = original(hidden).detach()
    with torch.no_grad():
        gate_up, down = original.experts.gate_up_proj, original.experts.down_proj
        folded = fold_scale(down.numpy(), scale.numpy())
        down.copy_(torch.from_numpy(dequantise(quantise(folded, 4, block_size))))
        gate_up.copy_(torch.from_numpy(dequantise(quantise(gate_up.numpy(), 4, block_size))))
        scale.fill_(1.0)
    assert_close(found, original(hidden), 1e-5)
    # Far from the original weights: the comparison above would notice another scale or another order of rows.
    assert np.abs(found - exact.numpy()).max() > 1e-2 * exact.abs().max()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("block_size", [32, 64])
@pytest.mark.parametrize(("in_features", "bias"), [(64, False), (72, True)])
def test_quantised_linear_computes_with_the_stored_weights(tmp_path, bits, block_size, in_features, bias):
    torch.manual_seed(0)
    linear = nn.Linear(in_features, 48, bias=bias)
    values = torch.randn(TOKENS, in_features)
    found = run(QuantisedLinear(linear, bits, block_size), values, tmp_path)
    with torch.no_grad():
        linear.weight.copy_(torch.from_numpy(dequantise(quantise(linear.weight.numpy(), bits, block_size))))
    assert_close(found, linear(values), 1e-5)


class RoutedByItsFirstNumbers(nn.Module):
    """Experts without a router, whose product would round a single token in its own way."""

    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, hidden):
        return self.experts(hidden, hidden[:, :8], None)


@pytest.mark.parametrize("quantised", [False, True])
def test_a_token_gets_the_same_bits_from_its_experts_alone_and_in_company(hidden, tmp_path, quantised):
    original = routed("silu")
    scale = original.router.per_expert_scale
    if quantised:
        experts = QuantisedExperts(original.experts, scale, top_k=2, block_size=32)
    else:
        experts = FusedExperts(original.experts, scale, top_k=2)
    session = session_of(RoutedByItsFirstNumbers(experts), hidden, tmp_path, threads=1)
    (together,) = session.run(None, {"x": hidden.numpy()})
    for token in range(TOKENS):
        (alone,) = session.run(None, {"x": hidden.numpy()[token : token + 1]})
        np.testing.assert_array_equal(alone[0], together[token])


class SideBySideAgain(nn.Module):
    """The parts, one behind the other as a layer calls them."""

    def __init__(self, linears, bits, block_size):
        super().__init__()
        whole = SideBySide(linears, bits, block_size)
        self.parts = nn.ModuleList(Part(whole, index) for index in range(len(linears)))

    def forward(self, values):
        return torch.cat([part(values) for part in self.parts], dim=-1)


@pytest.mark.parametrize("bias", [False, True])
def test_layers_side_by_side_are_one_product(tmp_path, bias):
    torch.manual_seed(0)
    linears = [nn.Linear(64, size, bias=bias) for size in (48, 16, 32)]
    values = torch.randn(TOKENS, 64)
    found = run(SideBySideAgain(linears, 8, 32), values, tmp_path)
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
    module, values = SideBySideAgain(linears, 8, 32), torch.randn(TOKENS, 192)
    one, two = (run(module, values, tmp_path, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


def lowering_of(activation, **changes):
    return expert_lowering(tiny_config(activation).text_config, ExportOptions("checkpoint", "out", **changes))


def test_the_policy_is_exact_or_nothing():
    assert lowering_of("silu", experts="int4") == FUSED
    assert lowering_of("silu", experts="fp32") == FUSED
    assert lowering_of("gelu_pytorch_tanh", experts="fp32") == DENSE
    with pytest.raises(ExportError, match="--experts fp32"):
        lowering_of("gelu_pytorch_tanh", experts="int4")
    for activation in ("gelu", "relu", "quick_gelu"):
        with pytest.raises(ExportError, match=activation):
            lowering_of(activation, experts="fp32")

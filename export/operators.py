"""Operators that stand in a traced graph for what the tracer cannot write, until the exporter writes it out."""

DOMAIN = "palaver"

GROUPED_EXPERTS = "GroupedExperts"
"""The gated experts of a layer: hidden states and router logits, then the weights, stacked expert by expert."""

EXPECTED_EMBEDDING = "ExpectedEmbedding"
"""Probabilities over the vocabulary times a quantised embedding."""

EMBEDDING_LOGITS = "EmbeddingLogits"
"""Hidden states times every row of a quantised embedding."""

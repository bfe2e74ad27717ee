"""From a Hugging Face DiffusionGemma checkpoint to a bundle that `runtime` plays; needs the extra `export`.

    python -m export CHECKPOINT OUT --verify

The rooms, in the order in which an export passes them: `config` (what is asked for), `checkpoint` (the folder that is
read), `lowering` (what is rebuilt for the target), `step_model` and `trace` (one pass as an ONNX graph),
`bundle_writer` (the folder that is written), `verify` (the proof); `pipeline` walks through them.
"""

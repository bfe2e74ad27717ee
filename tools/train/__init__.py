"""Training of the pocket model: a corpus that the project writes, and a block-diffusion model trained on it."""

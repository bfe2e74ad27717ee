"""What the project needs around the product: setting it up, testing it, training its small model."""

"""Measurements of what the project promises about time, on the machine at hand."""

"""The steps that make raw text of a model fit to be said: each is a pure function from text to text, one a file."""

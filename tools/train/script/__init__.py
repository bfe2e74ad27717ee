"""A studio's own script: lines from the files that dialogue is written in, and scenes to train on from the lines."""

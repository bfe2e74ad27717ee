"""The byte vectors of the protocol: what they consist of, and the command that writes them."""

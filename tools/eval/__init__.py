"""How good the lines are, on people, towns and facts that training never saw."""

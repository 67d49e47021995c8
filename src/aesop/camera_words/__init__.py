"""What camera words mean: outline of movements, vocabulary, grammar, and the readers."""

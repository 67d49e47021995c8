"""Collections of shots: the ragged memory-mapped store and the readers that fill it."""

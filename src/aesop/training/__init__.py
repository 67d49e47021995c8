"""Learning: recipes, batches and pair slots, losses, the step and its loop, the run record."""

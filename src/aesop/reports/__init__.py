"""Generation over a split, tables and figures: the one place where models and metrics meet."""

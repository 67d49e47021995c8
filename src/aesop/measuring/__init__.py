"""Generation over a split and what is counted: the one place where models and metrics meet."""

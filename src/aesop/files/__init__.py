"""The only room that opens motion and shot files."""

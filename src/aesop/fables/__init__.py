"""Fables: real human motion filmed by a procedural cinematographer, with captions."""

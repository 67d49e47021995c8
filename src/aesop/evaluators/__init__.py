"""Frozen networks that bring camera paths, motions and words into one space to be compared in."""

"""Judging shots: what the paper measures, by functions that do not know who made a shot."""

"""The procedural cinematographer: a motion in, a camera path with intent out."""

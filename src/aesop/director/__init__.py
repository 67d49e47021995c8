"""Film, shoot, act: from a request to a shot."""

"""A shot drawn from outside and through the lens: stills, contact sheets, video."""

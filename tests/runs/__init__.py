"""Scripts in runs/ on untrained parts, so that they cannot rot."""

"""Direction and intensity pairs: event mining, the two transforms, screening, funnel report."""

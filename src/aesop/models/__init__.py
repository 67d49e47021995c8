"""Networks: codecs, whitening, velocity networks, intensity embedding, and their weights."""

"""Flow matching: path, solvers, guidance and noise, free of networks; and the one sampler."""

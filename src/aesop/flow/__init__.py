"""The mathematics of flow matching, free of networks: path, solvers, guidance, noise."""

"""The methods that AESOP is compared with: each gives a network, a loss and a sampler."""

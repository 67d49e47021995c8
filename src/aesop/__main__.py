"""`python -m aesop`, which `torchrun -m aesop` needs."""

from aesop.cli import main

if __name__ == "__main__":
    main()

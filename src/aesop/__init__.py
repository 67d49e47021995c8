"""AESOP generates how a human action is filmed."""

from importlib.metadata import version

__version__ = version("aesop-motion")

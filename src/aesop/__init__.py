"""AESOP generates how a human action is filmed."""


def __getattr__(name: str) -> str:
    # Looked up only when asked for: the training path also runs from a bare copy of the sources.
    if name == "__version__":
        from importlib.metadata import version

        return version("aesop-motion")
    raise AttributeError(name)

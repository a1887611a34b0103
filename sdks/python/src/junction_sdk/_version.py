"""The version of the SDK, which pyproject.toml reads."""

__version__ = "0.1.0"

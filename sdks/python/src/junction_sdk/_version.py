"""The SDK's version, beside pyproject.toml which reads it."""

__version__ = "0.1.0"

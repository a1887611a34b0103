"""The SDK's version, beside pyproject.toml which reads it."""

VERSION = "0.1.0"

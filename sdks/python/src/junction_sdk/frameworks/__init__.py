"""Receiving webhooks in Flask, FastAPI and Django."""

"""Slow oracles, straight from the definitions."""

"""Typed parts of learners' states, each with its kernels."""

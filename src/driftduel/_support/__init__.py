"""What knows numba, files or the system, and what every room shares; private to the package."""

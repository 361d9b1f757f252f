"""All that knows numba: how kernels are compiled, and where compiled code is kept."""

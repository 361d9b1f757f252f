"""The paper, measured: which experiments there are, what theory promises, what was found."""

"""How much the world moves: every measure of non-stationarity, with its phases."""

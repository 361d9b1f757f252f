"""What votes prove however often somebody looks: leads, changes, and that anything drifted."""

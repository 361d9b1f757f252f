"""The driftduel command."""

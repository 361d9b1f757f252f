"""The guard of docs/guarantee.md, written slowly, and worlds in which it shows."""

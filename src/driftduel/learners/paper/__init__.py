"""Learners with episodes, bases and replays: BOSSE, METABOSSE, ANACONDA, METASWIFT."""

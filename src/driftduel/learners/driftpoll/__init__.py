"""Learners for polls: every question is a choice between two different arms."""

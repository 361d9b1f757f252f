"""What is known of the learners: studies, each with its specs, its tables and its page.

They are no part of the installed package: ``python -m studies`` runs them from a clone.
"""

PROGRAM = "python -m studies"
"""What messages and pages call the program."""

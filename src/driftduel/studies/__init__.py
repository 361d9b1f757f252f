"""What is known of the learners: studies, each with its specs, its tables and its page."""

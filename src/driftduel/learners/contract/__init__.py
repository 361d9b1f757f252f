"""What every learner promises: asking and telling, reports, files, and arms that come and go."""

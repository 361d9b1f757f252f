"""Pages for people: they vote, look after an arena, make one, and read results."""

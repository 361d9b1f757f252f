"""The likely story of votes: who was best when, by a model of drifting strengths, and how sure."""

"""Coverage-guided fuzzing of every reader, on demand."""

"""The official scorers of the tasks, followed to the letter: what they read, refuse and print."""

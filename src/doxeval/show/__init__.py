"""Output for people: tables, explanations, curves, figures, reports."""

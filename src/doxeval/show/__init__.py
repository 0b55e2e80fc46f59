"""What people look at: tables, explanations, curves, figures, reports."""

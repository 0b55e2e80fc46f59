"""How well values of measures go with outcomes: which measure predicts success."""

"""What several measures share."""

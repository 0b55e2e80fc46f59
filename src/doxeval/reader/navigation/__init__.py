"""Navigation models: where a reader may go from what was retrieved; one small module each."""

"""Documents, assessments and runs as columns with integer codes."""

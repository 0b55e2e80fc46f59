"""Agreement of assessors about what is relevant."""

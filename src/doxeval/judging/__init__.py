"""What assessors are given to read, and in which order: pools."""

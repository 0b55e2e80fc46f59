"""Exposure: what a reader has seen after each rank, directly or by navigating, and what they have missed."""

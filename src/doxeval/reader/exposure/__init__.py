"""Exposure: what the reader has seen after each rank, outright or by navigating, and what he has missed."""

"""Perturbed and synthetic runs, simulated readers, and studies of measures."""

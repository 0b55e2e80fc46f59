"""The report: everything an evaluation found, in one HTML file that works offline."""

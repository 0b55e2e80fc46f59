"""The aligner, which finds texts in documents however they were copied."""

"""Where results and assessments meet: on nodes and ranges of documents, once per run."""

"""Reading inside documents: reading orders, and the document scores based on them."""

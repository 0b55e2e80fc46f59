"""How a reader fares inside documents: reading orders, and the document scores that rest on them."""

"""How far assessors agree about what is relevant."""

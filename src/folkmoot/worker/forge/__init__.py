"""A forge: where people look at proposed work and merge it."""

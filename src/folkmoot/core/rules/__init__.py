"""The rules, one module per idea. `decide` is the one door to them."""

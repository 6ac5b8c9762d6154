"""How a flow brings finished work to its branch."""

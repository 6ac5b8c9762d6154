"""Forges as the flow in force names them, and who looks at what was proposed there."""

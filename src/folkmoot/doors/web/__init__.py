"""The web board: pages that are built from `web/` and lie in the package. They ask the HTTP door like any caller."""

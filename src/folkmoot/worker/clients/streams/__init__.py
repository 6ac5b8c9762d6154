"""One listener for each family of clients: what it prints becomes one `Stream`."""

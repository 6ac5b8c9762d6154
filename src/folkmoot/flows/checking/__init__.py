"""What must fit together in a flow, once its parts are read."""

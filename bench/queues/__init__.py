"""Long queues: what stands in them and cannot be taken."""

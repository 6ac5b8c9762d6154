"""What is told to whoever watches the process: metrics for Prometheus, log lines, spans of traces."""

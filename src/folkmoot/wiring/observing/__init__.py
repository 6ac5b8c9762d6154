"""What is watched of a process: how its log is cleaned, and where its traces go."""

"""Benchmarks, each beside a raw limit in the same run, told as a ratio: machines are shared and noisy."""

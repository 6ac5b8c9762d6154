"""Real repositories, as large as they can be had from a package."""

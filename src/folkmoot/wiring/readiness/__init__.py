"""The looks of `moot ready`, put together for a board in a folder."""

"""A transcript on disk: its index beside it, its keys, and the reader that pages it."""

"""Maps from raw to numbers."""

"""Maps from raw data to numbers."""

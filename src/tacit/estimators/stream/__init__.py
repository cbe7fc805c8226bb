"""Rate a stream: learn from every rating as it comes."""

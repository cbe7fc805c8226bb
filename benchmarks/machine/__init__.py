"""What the machine can do, and how much of it each kernel takes: the parts of ``roofline.py``."""

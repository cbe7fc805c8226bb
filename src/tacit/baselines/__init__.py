"""What the papers compare with, as honest opponents."""

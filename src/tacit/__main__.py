"""``python -m tacit`` is ``tacit``."""

from tacit.cli.app import main

if __name__ == "__main__":
    main()

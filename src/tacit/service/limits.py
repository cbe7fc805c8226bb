"""What one request may cost."""

from dataclasses import dataclass

from tacit.errors import InputError


@dataclass(frozen=True)
class Limits:
    """Bytes of a body, rows of a batch, k, events of a request, seconds, and requests in hand at once."""

    body: int = 8 << 20
    batch: int = 1000
    k: int = 1000
    events: int = 10_000
    seconds: float = 30.0
    at_once: int = 512

    def check_k(self, k: int) -> None:
        """Refuse a list of no place or of too many."""
        if not 1 <= k <= self.k:
            raise InputError(f"k must be between 1 and {self.k}, not {k}.")

    def check_batch(self, count: int) -> None:
        """Refuse an empty question or one about too many."""
        if not 1 <= count <= self.batch:
            raise InputError(f"ask for 1 to {self.batch} at a time, not {count}.")

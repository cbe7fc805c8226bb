"""What the service refuses, each with the HTTP status that says so."""

from tacit.errors import TacitError


class ServiceError(TacitError):
    """A request that cannot be answered; ``retry_after`` in seconds where another try may help."""

    def __init__(self, status: int, sentence: str, retry_after: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after = retry_after


class StoreError(TacitError):
    """The event store cannot be opened, read or written."""

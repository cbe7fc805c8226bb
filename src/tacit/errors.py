"""What Tacit raises. Every message is one sentence that names the parameter and the remedy."""


class TacitError(Exception):
    """Base of everything that Tacit raises on purpose; the command line turns it into exit code 2."""

    def __init__(self, *arguments: object) -> None:
        # What a sentence quotes may be an array or a table, which is shown in lines.
        super().__init__(
            *(" ".join(part.split()) if isinstance(part, str) and "\n" in part else part for part in arguments)
        )


class InputError(TacitError, ValueError):
    """An argument, a table or a file cannot be used as it is."""


class InputTypeError(InputError, TypeError):
    """The same where the type is wrong, as scikit-learn's tools expect it."""


class UnknownIdError(InputError, KeyError):
    """An id was asked for that the model has never seen. ``remedy`` is what helps; over HTTP that is something else."""

    def __init__(self, fact: str = "", remedy: str = "") -> None:
        super().__init__(fact, remedy)
        self.fact, self.remedy = map(str, self.args)

    # KeyError prints the repr of its message; users should read the sentence itself.
    def __str__(self) -> str:
        return f"{self.fact}; {self.remedy}" if self.remedy else self.fact


class ModelFileError(InputError):
    """A model file is foreign, truncated, newer than this version or lies about its content."""


class UnsoundCombinationError(InputError):
    """Parts of an objective that cannot be combined; the message says which part lacks what."""


class DivergedError(TacitError, FloatingPointError):
    """A non-finite value appeared in training; the message says where, in which term, and what to change."""


class MissingDataError(TacitError, FileNotFoundError):
    """A data set is not in the folder that ``TACIT_DATA`` names."""


class MissingExtraError(TacitError, ImportError):
    """A feature needs an optional dependency; the message says which extra to install."""

"""Named steps at which a test may end the process, as a power cut would.

``TACIT_KILL_AT=commit.after:3`` kills it when it comes to that step for the third time. Without the variable a step
costs one comparison.
"""

import os
import signal

STEPS = (
    "commit.before", "commit.after", "apply.before", "apply.after", "snapshot.before", "snapshot.written",
    "snapshot.named", "prune.before", "prune.after",
)  # fmt: skip

_step, _left = "", 0


def arm(where: str) -> None:
    """Kill the process at a step, ``"name"`` or ``"name:times"``; at none when it is empty."""
    global _step, _left
    _step, _, times = where.partition(":")
    _left = int(times or 1)


def reach(step: str) -> None:
    """The process has come to this step."""
    global _left
    if step == _step:
        _left -= 1
        if _left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


arm(os.environ.get("TACIT_KILL_AT", ""))

"""The most memory that this process has held, from the kernel's own mark of it.

``getrusage`` counts what the parent held when it started the process; the mark in ``/proc`` belongs to this program
alone and can be set back before each measurement. Where there is no ``/proc``, ``getrusage`` has to do.
"""

import contextlib
import resource
from pathlib import Path

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


def reset() -> None:
    """Forget the mark, so that ``peak_mib`` speaks of what comes now."""
    with contextlib.suppress(OSError):
        CLEAR.write_text("5")


def peak_mib() -> float:
    """MiB held at most since the start or the last ``reset``."""
    if STATUS.exists():
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

"""Results files: what was measured, by which command, on which machine, with which versions."""

import datetime
import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"
PACKAGES = ("tacit", "numpy", "scipy", "numba", "scikit-learn", "polars")


def processor() -> str:
    """The name that the processor gives itself, such as "AMD EPYC 7763 64-Core Processor"."""
    told = Path("/proc/cpuinfo")
    names = [
        line.split(":", 1)[1].strip()
        for line in (told.read_text().splitlines() if told.exists() else ())
        if line.startswith("model name")
    ]
    return names[0] if names else platform.processor() or "unknown"


def machine() -> dict[str, Any]:
    """Facts about the machine that bear on time and memory."""
    facts: dict[str, Any] = {
        "python": platform.python_version(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    }
    facts["processor"] = processor()
    memory = Path("/proc/meminfo")
    if memory.exists():
        facts["memory_gib"] = round(int(memory.read_text().split()[1]) / 2**20, 1)
    return facts


def versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def command() -> str:
    """How this program was called."""
    program = Path(sys.argv[0]).resolve().with_suffix("")
    root = FOLDER.parents[1]
    module = ".".join(program.relative_to(root).parts) if program.is_relative_to(root) else program.name
    return " ".join(["python", "-m", module, *sys.argv[1:]])


def read(name: str) -> dict[str, Any]:
    """A results file that was written earlier."""
    record: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return record


def figures_so_far(name: str) -> dict[str, Any]:
    """The figures of a results file; nothing where it does not exist yet."""
    return read(name)["figures"] if (FOLDER / f"{name}.json").exists() else {}


def write_part(name: str, part: str, figures: Any) -> Path:
    """Replace one part of ``results/<name>.json`` and keep the others."""
    return write(name, figures_so_far(name) | {part: figures}, part)


def write(name: str, figures: Any, part: str | None = None, **about: Any) -> Path:
    """Write ``results/<name>.json``.

    part : what of it was measured now; the file remembers command, date and machine of every part
    about : what else a reader must know, such as versions of peers
    """
    path = FOLDER / f"{name}.json"
    FOLDER.mkdir(exist_ok=True)
    record: dict[str, Any] = {
        "command": command(),
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "versions": versions(),
        **about,
    }
    parts = read(name).get("parts", {}) if path.exists() else {}
    if part is not None:
        parts[part] = {fact: record[fact] for fact in ("command", "date", "machine")}
    if parts:
        record["parts"] = parts
    record["figures"] = figures
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


class Record:
    """A results file that grows piece by piece, so that a long table may be measured in several sittings.

    Parameters
    ----------
    name : of the results file
    command : that measures all of it
    missing : keep the pieces that the file has, instead of measuring all anew
    """

    def __init__(self, name: str, command: str, missing: bool = False) -> None:
        self.name, self.command, self.missing = name, command, missing
        self.figures: dict[str, Any] = figures_so_far(name)

    def lacks(self, data: str, method: str) -> bool:
        """Whether this piece has to be measured."""
        return not self.missing or method not in self.figures.get(data, {})

    def put(self, data: str, method: str, figures: dict[str, Any]) -> None:
        """Write the file with this piece in it, and with the day on which it was measured."""
        # Another sitting may have written since.
        self.figures = figures_so_far(self.name) or self.figures
        today = datetime.date.today().isoformat()
        # A row that comes back with new seconds alone keeps the day of its errors.
        self.figures.setdefault(data, {})[method] = {"measured": today} | figures
        self.write(self.figures)
        print(data, method, figures, flush=True)

    def write(self, figures: Any) -> None:
        write(self.name, figures, command=self.command)

"""``tacit doctor``: what this installation has and where it keeps things, for people and for bug reports."""

import os
import platform
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from tacit._version import __version__
from tacit.cli.options import json_option
from tacit.cli.output import print_facts, print_json, size

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "polars", "safetensors", "rich", "click", "threadpoolctl")


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Show versions, cores, threads, BLAS, the cache of kernels, extras and the folder of data sets."""
    report = {
        "tacit": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
        "platform": platform.platform(),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "cores": _cores(),
        "blas": _blas(),
        "kernels": kernel_cache(),
        "extras": _extras(),
        "data": _data(),
    }
    if as_json:
        print_json(report)
        return
    print_facts(_for_people(report))


def _cores() -> dict[str, Any]:
    from tacit import threads

    return {"in_machine": os.cpu_count(), "for_this_process": threads.available()}


def _blas() -> list[dict[str, Any]]:
    """Every BLAS that NumPy and SciPy bring; each may be a copy of its own."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    wanted = ("internal_api", "version", "num_threads", "architecture", "filepath")
    return [{name: one.get(name) for name in wanted} for one in threadpool_info() if one["user_api"] == "blas"]


def kernel_cache() -> dict[str, Any]:
    """Where compiled kernels are kept, whether that can be written, and how much is there."""
    import tacit.kernels.topk  # noqa: F401
    from tacit.kernels import _jit

    folder = _jit.cache_folder()
    files = [] if folder is None else compiled_files(Path(folder))
    return {
        "folder": folder,
        "writable": folder is not None and os.access(folder if Path(folder).is_dir() else Path(folder).parent, os.W_OK),
        "files": len(files),
        "bytes": sum(file.stat().st_size for file in files),
        "compiler": f"numba {_jit.numba_version()}",
        "disabled": os.environ.get("NUMBA_DISABLE_JIT") == "1",
    }


def compiled_files(folder: Path) -> list[Path]:
    """Index and code of compiled kernels, nothing else that may lie in the folder."""
    return sorted(file for file in folder.glob("*") if file.suffix in {".nbi", ".nbc"}) if folder.is_dir() else []


def _extras() -> dict[str, dict[str, str | None]]:
    """Extra → its packages with their versions, None where one is not installed."""
    extras: dict[str, dict[str, str | None]] = {}
    for requirement in metadata.requires("tacit") or ():
        match = re.match(r"([\w.-]+).*;.*extra == ['\"](\w+)['\"]", requirement)
        if match and match[1] != "tacit" and match[2] != "dev":
            extras.setdefault(match[2], {})[match[1]] = _version(match[1])
    return extras


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _data() -> dict[str, Any]:
    folder = os.environ.get("TACIT_DATA")
    return {"TACIT_DATA": folder, "exists": bool(folder) and Path(str(folder)).is_dir()}


def _for_people(report: dict[str, Any]) -> dict[str, str]:
    kernels, data, cores = report["kernels"], report["data"], report["cores"]
    if kernels["folder"] is None:
        cache = "no folder can be written, so every process compiles anew; set NUMBA_CACHE_DIR to one that can"
    else:
        state = "writable" if kernels["writable"] else "read-only"
        cache = f"{kernels['folder']} ({state}, {kernels['files']} files, {size(kernels['bytes'])})"
    if kernels["disabled"]:
        cache = "switched off by NUMBA_DISABLE_JIT: kernels run as plain Python, very slowly"
    facts = {
        "tacit": report["tacit"],
        "python": f"{report['python']} ({report['executable']})",
        "platform": report["platform"],
        "libraries": ", ".join(f"{name} {version}" for name, version in report["libraries"].items()),
        "cores": f"{cores['for_this_process']} of {cores['in_machine']} may be used; threads=0 takes them all",
        "BLAS": ", ".join(
            f"{one['internal_api']} {one['version']} ({one['num_threads']} threads, {one['architecture']})"
            for one in report["blas"]
        ),
        "kernels": cache,
    }
    for extra, packages in report["extras"].items():
        missing = [name for name, version in packages.items() if version is None]
        state = f"pip install 'tacit[{extra}]' adds {', '.join(missing)}" if missing else "installed"
        facts[f"extra {extra}"] = state
    folder = data["TACIT_DATA"]
    facts["TACIT_DATA"] = f"{folder}{'' if data['exists'] else ' (does not exist)'}" if folder else "not set"
    return facts

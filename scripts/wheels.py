"""For which Python versions do all dependencies have wheels? Asks the package index and prints a Markdown table.

    python scripts/wheels.py [3.11 3.12 ...]

Nothing is installed. The metadata of Tacit claims only versions on which the suite was run; this table says where an
installation needs no compiler.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


def has_wheel(requirement: str, version: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed"),
            *("--only-binary=:all:", "--python-version", version, "--target", folder),
            *(part for platform in PLATFORMS for part in ("--platform", platform)),
            requirement,
        ]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = sys.argv[1:] or VERSIONS
    print("| dependency | " + " | ".join(versions) + " |\n|---|" + "---|" * len(versions))
    for requirement in project["dependencies"]:
        found = ["wheel" if has_wheel(requirement, version) else "none" for version in versions]
        print(f"| `{requirement}` | " + " | ".join(found) + " |", flush=True)


if __name__ == "__main__":
    main()

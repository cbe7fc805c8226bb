"""The wheel and the sdist that ``make dist`` builds, installed into an environment of their own and used."""

import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

USE = """
import sys, numpy as np, tacit
assert tacit.__file__.startswith(sys.prefix), tacit.__file__
model = tacit.RatingStream()
model.learn_one("ann", "tea", 4.0)
model.save("stream.tacit")
assert tacit.load("stream.tacit").predict_one("ann", "tea") == model.predict_one("ann", "tea")
assert len(tacit.data.load_debian().table) > 1000
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.whl")), next(out.glob("*.tar.gz"))


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own(built, tmp_path):
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(built[0])], check=True, timeout=300)
    # Dependencies come from the environment of the tests, behind the wheel's own.
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    # Compiling would take longer than everything else here, and other tests do it.
    quiet = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([str(python), "-c", USE], check=True, cwd=tmp_path, env=quiet, timeout=300)
    tacit = python.with_name("tacit")
    said = subprocess.run([str(tacit), "--version"], check=True, capture_output=True, text=True, env=quiet).stdout
    from tacit import __version__

    assert __version__ in said


@pytest.mark.slow
def test_wheel_and_sdist_hold_what_they_should(built):
    wheel = set(zipfile.ZipFile(built[0]).namelist())
    modules = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    assert modules <= wheel
    assert {"tacit/py.typed"} <= wheel and not any(name.startswith(("tests", "benchmarks")) for name in wheel)
    assert not [name for name in wheel if name.endswith((".nbi", ".nbc", ".pyc"))]
    with tarfile.open(built[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "src/tacit/__init__.py"} <= names

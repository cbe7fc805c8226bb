"""The rules that reviewers cannot see, kept by programs: flags, imports, signatures, the cache, and start-up time."""

import ast
import json
import os
import resource
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import tacit
import tacit.kernels

SOURCE = Path(tacit.__file__).parent
KERNELS = SOURCE / "kernels"


def kernel_modules():
    return [f"tacit.kernels.{module.name}" for module in iter_modules(tacit.kernels.__path__)]


def python(*arguments, **environment):
    """Standard output of a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, *arguments], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@cache
def trees():
    """Every file of the package, parsed."""
    return {file: ast.parse(file.read_text()) for file in sorted(SOURCE.rglob("*.py"))}


def imported(tree):
    """Full names of the modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module


# -- what the text says --------------------------------------------------------------------------------------------


def test_no_parallel_loops_and_numba_in_one_file_only():
    for file, tree in trees().items():
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
        assert not names & {"prange", "parallel", "jitclass", "vectorize", "guvectorize"}, file
        if file != KERNELS / "_jit.py":
            assert not any(name.split(".")[0] in {"numba", "llvmlite"} for name in imported(tree)), file


HOOKS = {"schema_parts.py": {"_open", "_pack"}, "concurrency.py": {"_view", "_derived"}}
"""What ``Model`` documents as open to the machinery of all estimators."""

PUBLIC = {"_is_text_encoding", "_make", "_replace"}
"""Of codecs and of named tuples, which document them."""


def defined(tree):
    """Names that a file gives to functions, classes, variables and attributes of its own objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
            yield node.attr


def test_private_names_are_touched_in_their_own_file_only():
    for file, tree in trees().items():
        own = {*defined(tree), *HOOKS.get(file.name, ()), *PUBLIC}
        foreign = [
            ast.unparse(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
            if node.attr not in own
        ]
        assert not foreign, f"{file} touches private names of another file: {foreign}"


def test_kernels_see_arrays_and_other_kernels_only():
    for file in KERNELS.glob("*.py"):
        if file.name != "_jit.py":
            foreign = [n for n in imported(trees()[file]) if n != "numpy" and not n.startswith("tacit.kernels")]
            assert not foreign, file


def decorated(tree, decorator):
    """Functions of a file under this decorator."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(one, ast.Name) and one.id == decorator for one in node.decorator_list
        ):
            yield node


def test_products_stand_in_fast_kernels_only():
    """An inlined body takes the flags of its kernel; ``strict`` ones promise sums in their order, one after another."""
    inlined = {node.name for node in decorated(trees()[KERNELS / "gather_dot.py"], "inlined")}
    assert "four_products" in inlined

    def callers(nodes):
        return {
            node.name
            for node in nodes
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in inlined
        }

    inside = [node for file in KERNELS.glob("*.py") for node in decorated(trees()[file], "strict")]
    assert not callers(inside)
    importing = [
        file
        for file, tree in trees().items()
        if file.parent != KERNELS and any(name == "tacit.kernels.gather_dot" for name in imported(tree))
    ]
    assert not importing


# -- what Numba was told -------------------------------------------------------------------------------------------


@pytest.mark.jit
def test_every_kernel_has_our_flags_or_none():
    from tacit.kernels import _jit

    for module in kernel_modules():
        import_module(module)
    assert _jit.REGISTER
    assert {"reassoc", "contract", "nsz", "arcp"} == _jit.FAST_FLAGS
    for kernel in _jit.REGISTER:
        options = kernel.targetoptions
        assert options["fastmath"] in (False, set(_jit.FAST_FLAGS)), kernel
        assert options["nogil"] is True, kernel
        assert options["error_model"] == "numpy", kernel
        assert not options.get("parallel", False), kernel


@pytest.mark.jit
def test_importing_kernels_compiles_nothing():
    program = f"""
import json
from importlib import import_module
for module in {kernel_modules()!r}:
    import_module(module)
from tacit.kernels import _jit
print(json.dumps([kernel.py_func.__name__ for kernel in _jit.REGISTER if kernel.signatures]))
"""
    assert json.loads(python("-c", program)) == []


SMALL_WORK = """
import json
import sys
import numpy as np
import scipy.sparse as sp
import tacit
from tacit.metrics import concordance_index, evaluate_factors
threads, path = int(sys.argv[1]), sys.argv[2]
positives = sp.random_array((90, 70), density=0.2, rng=np.random.default_rng(0), format="csr", dtype=np.float32)
tacit.FactorRecommender(factors=20, iterations=3, threads=threads).fit(positives).save(path)
rng = np.random.default_rng(0)
rows, cols = rng.standard_normal((20, 3)), rng.standard_normal((30, 3))
train, test = rng.random((20, 30)) < 0.1, rng.random((20, 30)) < 0.2
measures = evaluate_factors(rows, cols, train, test, metrics=("ndcg", "auc"), threads=threads)
pairs = concordance_index(rng.integers(0, 3, 40), rng.random(40))
from tacit.kernels import _jit
count = lambda which: sum(sum(getattr(kernel.stats, which).values()) for kernel in _jit.REGISTER)
print(json.dumps([count("cache_hits"), count("cache_misses"), dict(measures), pairs]))
"""


@pytest.mark.jit
@pytest.mark.slow
def test_a_second_process_compiles_nothing_and_gives_the_same_at_any_number_of_threads(tmp_path):
    def run(threads, name):
        return json.loads(python("-c", SMALL_WORK, threads, str(tmp_path / name), NUMBA_CACHE_DIR=str(tmp_path)))

    (hits, misses, *fresh), (second_hits, second_misses, *cached) = run("1", "fresh"), run("2", "cached")
    assert (hits, misses > 0) == (0, True)
    assert (second_hits > 0, second_misses) == (True, 0)
    assert fresh == cached
    assert (tmp_path / "fresh").read_bytes() == (tmp_path / "cached").read_bytes()


MANY_SIGNATURES = """
import numpy as np
import pytest
from tacit.kernels._jit import strict

@strict
def twice(values):
    return values + values

@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_one(dtype):
    twice(np.ones(1, dtype=dtype))
"""


@pytest.mark.jit
@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_session_fails_beyond_two_signatures(tmp_path, workers):
    """The check in conftest.py, also where no single worker has seen more than two."""
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import pytest_sessionfinish, pytest_testnodedown  # noqa: F401\n"
    )
    (tmp_path / "test_it.py").write_text(MANY_SIGNATURES)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    here = Path(__file__).parents[2]
    paths = os.pathsep.join([str(here), str(SOURCE.parent)])
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider", str(tmp_path)]
    result = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert "3 passed" in result.stdout, result.stdout + result.stderr
    assert "twice was compiled for more than two signatures" in result.stdout
    assert result.returncode == 1


# -- start-up time -------------------------------------------------------------------------------------------------


HEAVY = ("numba", "llvmlite", "sklearn", "scipy", "polars", "pandas", "rich", "safetensors")


@pytest.mark.parametrize("name", ["tacit", "tacit.metrics", "tacit.cli.app"])
def test_importing_loads_nothing_heavy(name):
    program = f"import sys, {name}; print([m for m in {HEAVY} if m in sys.modules])"
    assert python("-c", program).strip() == "[]"


def quick_enough(seconds, limit, most=15):
    """Whether one of up to so many tries stays within the limit: other work on the machine only ever adds."""
    return any(seconds() < limit for _ in range(most))


def test_importing_takes_less_than_a_fifth_of_a_second():
    """Processor time that ``import tacit`` adds to an empty interpreter, measured inside it."""
    program = "from time import process_time as now; t = now(); import tacit; print(now() - t)"
    assert quick_enough(lambda: float(python("-c", program)), 0.2)


def test_help_takes_less_than_half_a_second():
    """Processor time of the whole process, from its start to its end."""

    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    def seconds():
        before = used()
        python("-c", "from tacit.cli.app import main; main(['--help'])")
        return used() - before

    assert quick_enough(seconds, 0.5)


def test_a_change_in_another_kernel_file_is_noticed(tmp_path):
    """Numba looks at a kernel's own file; ``outer`` here would go on with the ``inner`` of before."""
    copy = tmp_path / "tacit"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "bundled"))
    inner, outer = copy / "kernels" / "inner.py", copy / "kernels" / "outer.py"
    head = "from tacit.kernels._jit import strict\n"
    inner.write_text(f"{head}@strict\ndef inner(x):\n    return 2 * x\n")
    outer.write_text(f"{head}from tacit.kernels.inner import inner\n@strict\ndef outer(x):\n    return inner(x) + 1\n")
    ask = (
        "from tacit.kernels.outer import outer; answer = outer(3); "
        "print(answer, sum(outer.stats.cache_hits.values()), sum(outer.stats.cache_misses.values()))"
    )

    def asked():
        # Bytecode is not kept: two changes within a second would look alike.
        return python("-c", ask, PYTHONPATH=str(tmp_path), PYTHONDONTWRITEBYTECODE="1").split()

    assert asked() == ["7", "0", "1"]
    assert asked() == ["7", "1", "0"]
    inner.write_text(inner.read_text().replace("2 * x", "5 * x"))
    assert asked() == ["16", "0", "1"]
    assert asked() == ["16", "1", "0"]

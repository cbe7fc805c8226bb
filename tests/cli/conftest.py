"""A small shop, and the command line as a user types it."""

import json
import random

import pytest

from tacit.cli.app import main

FOOD = ["tea", "jam", "toast", "butter", "honey", "scone"]
TOOLS = ["hammer", "nail", "saw", "drill", "screw", "glue"]


@pytest.fixture
def shop(tmp_path):
    """Purchases: half of the users buy food, half buy tools, four things each."""
    rng = random.Random(0)
    lines = [
        f"u{user},{item},{rng.randint(1, 5)},{1000 + rng.randint(0, 99)}"
        for user in range(40)
        for item in rng.sample(FOOD if user % 2 else TOOLS, 4)
    ]
    path = tmp_path / "shop.csv"
    path.write_text("\n".join(["user,item,rating,time", *lines]) + "\n")
    return path


@pytest.fixture
def tacit(capsys):
    """Run a command that should succeed; gives back what it printed."""

    def run(*arguments):
        main([str(argument) for argument in arguments])
        return capsys.readouterr().out

    return run


@pytest.fixture
def tacit_json(tacit):
    """Run a command with ``--json``; gives back what it printed, parsed."""

    def run(*arguments):
        lines = tacit(*arguments, "--json").splitlines()
        parsed = [json.loads(line) for line in lines]
        return parsed[0] if len(parsed) == 1 else parsed

    return run


@pytest.fixture
def refused(capsys):
    """Run a command that should be refused: exit code 2, one line on standard error, nothing on standard output."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        assert stopped.value.code == 2
        said = capsys.readouterr()
        assert said.out == ""
        lines = said.err.splitlines()
        assert lines[-1].startswith("tacit: ")
        assert lines[-1][-1] in ".?"
        remarks = ("guessed", "were merged", "are left out", "were left out")
        assert all(any(remark in line for remark in remarks) for line in lines[:-1])
        return lines[-1]

    return run


@pytest.fixture
def model(shop, tmp_path, tacit):
    """Two tastes, two factors."""
    path = tmp_path / "shop.tacit"
    tacit("fit", "recommend", shop, "-o", path, "--factors", 2)
    return path

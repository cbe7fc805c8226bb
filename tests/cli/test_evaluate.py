"""``tacit evaluate JOB --html``: the page says what the command printed, asks nobody, and escapes what it shows."""

import json

import pytest

from tacit.cli.app import main
from tests.report.pages import checked


@pytest.fixture
def commands(shop, tmp_path, tacit):
    """A command for every job, on tables small enough to be quick."""
    tagged = ["a red ball,red", "red apples,red", "a blue ball,blue", "the blue sea,blue", "a red sea,"] * 6
    (tmp_path / "tagged.csv").write_text("\n".join(["text,labels", *tagged]))
    wines = [f"{n % 7},{n % 5},{(n % 7) // 3 if n < 60 else ''}" for n in range(90)]
    (tmp_path / "wines.csv").write_text("\n".join(["sugar,acid,grade", *wines]))
    (tmp_path / "text.txt").write_text("king queen man woman\nking man\nqueen woman\n" * 30)
    (tmp_path / "questions.txt").write_text(": family\nking queen man woman\nman woman king prince\n")
    (tmp_path / "pairs.txt").write_text("king queen 8\nking woman 3\nqueen man 2\n")
    tacit("fit", "words", tmp_path / "text.txt", "-o", tmp_path / "words", "--factors", 2, "--min-count", 1)
    words = [
        "words",
        tmp_path / "words",
        "--questions",
        tmp_path / "questions.txt",
        "--similarities",
        tmp_path / "pairs.txt",
    ]
    return {
        "recommend": ["recommend", shop, "--factors", 4, "-k", 2, "-k", 3],
        "tag": ["tag", tmp_path / "tagged.csv", "--text", "text", "--labels", "labels", "-k", 1],
        "rate": ["rate", shop],
        "grade": ["grade", tmp_path / "wines.csv", "--n-components", 32],
        "words": words,
    }


@pytest.mark.parametrize("job", ["recommend", "tag", "rate", "grade", "words"])
def test_the_page_has_the_numbers_that_are_printed(job, commands, tmp_path, tacit_json):
    page = tmp_path / "page.html"
    outcome = tacit_json("evaluate", *commands[job], "--html", page)
    text = checked(page.read_text(encoding="utf-8"))
    methods = [value for value in outcome.values() if isinstance(value, dict)]
    numbers = [f"{value:.4f}" for one in methods for value in one.values() if isinstance(value, float)]
    assert numbers
    assert [number for number in numbers if number not in text] == []


@pytest.mark.parametrize("job", ["recommend", "tag", "rate", "grade", "words"])
def test_what_is_printed_does_not_depend_on_the_page(job, commands, tmp_path, tacit_json, tacit):
    plain = tacit_json("evaluate", *commands[job])
    full = tacit_json("evaluate", *commands[job], "--html", tmp_path / "page.html")
    for name, value in plain.items():
        if name != "seconds":
            assert full[name] == value
    assert tacit("evaluate", *commands[job])


def test_a_table_without_a_job_is_for_a_recommender(shop, tacit_json):
    one, other = tacit_json("evaluate", shop, "--factors", 2), tacit_json("evaluate", "recommend", shop, "--factors", 2)
    assert one["model"] == other["model"]


def test_names_are_text_and_never_markup(tmp_path, tacit):
    evil = '<script>alert("1")</script>'
    lines = [f'u{user},"{evil if item == 0 else item}"'.replace('alert("1")', "alert(1)") for user in range(12)
             for item in range(6) if (user + item) % 3]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(["user,item", *lines]))
    page = tmp_path / "page.html"
    tacit("evaluate", tmp_path / "t.csv", "--factors", 2, "-k", 4, "--html", page)
    text = page.read_text(encoding="utf-8")
    assert "<script>alert(1)</script>" in checked(text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_examples_mark_what_was_hidden(shop, tmp_path, tacit):
    page = tmp_path / "page.html"
    tacit("evaluate", shop, "--factors", 4, "--html", page)
    text = page.read_text(encoding="utf-8")
    assert text.count("<article") >= 3
    assert 'class="chip hit"' in text


@pytest.mark.parametrize("job", ["recommend", "rate"])
def test_people_are_named_on_a_page_only_when_asked(job, tmp_path, tacit):
    table = tmp_path / "t.csv"
    lines = [f"person{user:02},{item},{1 + item % 5}" for user in range(12) for item in range(6) if (user + item) % 3]
    table.write_text("\n".join(["user,item,rating", *lines]))
    command = ["evaluate", job, table, *(["--factors", 2] if job == "recommend" else []), "--html", tmp_path / "p.html"]
    tacit(*command)
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "User 1" in page
    assert "person0" not in page
    tacit(*command, "--show-ids")
    assert "person0" in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("job", ["tag", "rate", "grade"])
def test_a_saved_model_is_measured_on_a_new_table(job, commands, tmp_path, tacit, tacit_json):
    name, table, *options = commands[job]
    saved = tmp_path / "m"
    left = [one for one in options if one not in ("-k", 1)]
    tacit("fit", job, table, "-o", saved, *left)
    before = saved.read_bytes()
    outcome = tacit_json(
        "evaluate", name, table, *[o for o in left if o not in ("--n-components", 32)], "--model", saved
    )
    assert outcome["model"]
    assert saved.read_bytes() == before


def test_a_saved_model_knows_the_order_of_its_grades(tmp_path, tacit, tacit_json):
    table = tmp_path / "wines.csv"
    lines = [f"{n % 7},{('poor', 'fair', 'good')[n % 7 // 3]}" for n in range(60)]
    table.write_text("\n".join(["sugar,grade", *lines]))
    tacit("fit", "grade", table, "--order", "poor,fair,good", "-o", tmp_path / "m", "--kernel", "linear")
    assert tacit_json("evaluate", "grade", table, "--model", tmp_path / "m")["model"]["auc"] > 0.9


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("words {words}", "--questions FILE"),
        ("words {words} --questions {questions} --ask emperor", "does not know the word 'emperor'"),
        ("rate {shop} --model {words}", "holds a WordVectors"),
        ("rate {shop} --model {words} --seed 3", "--seed has no effect with --model"),
        ("grade {wines} --model {words} --loss square", "--loss has no effect with --model"),
        ("grade {wines} --model {words} --test 0.5", "--test has no effect with --model"),
        ("tag {shop} --text item --labels item --model {words} --phrases 2", "--phrases has no effect with --model"),
        ("grade {wines} --order 4,5", "4, 5"),
        ("tag {shop} --text item --labels nothing", "nothing"),
        ("{shop} --html {shop}/page.html", "does not exist"),
        ("{shop} --show-ids", "--show-ids is for the page of --html"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(arguments, said, commands, shop, tmp_path, refused):
    places = {
        "words": tmp_path / "words",
        "questions": tmp_path / "questions.txt",
        "shop": shop,
        "wines": tmp_path / "wines.csv",
    }
    assert said in refused("evaluate", *arguments.format(**places).split(" "))


def test_help_lists_the_jobs(capsys):
    main(["evaluate", "--help"])
    shown = capsys.readouterr().out
    assert all(f"  {job} " in shown for job in ("recommend", "tag", "rate", "grade", "words"))


def test_json_stays_one_line_when_a_page_is_written(shop, tmp_path, capsys):
    main(["evaluate", str(shop), "--factors", "2", "--json", "--html", str(tmp_path / "p.html")])
    said = capsys.readouterr()
    assert json.loads(said.out)["random"]
    assert "wrote" not in said.err

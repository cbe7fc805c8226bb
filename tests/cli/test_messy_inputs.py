"""Forty messy inputs: each is told its file, its line, its value and a remedy, in one sentence and exit code 2."""

import gzip
import re

import pytest

from tacit.cli.app import main

FIT = "fit recommend {file} -o out --factors 1"
RATE = "fit rate {file} -o out --factors 1"
TAG = "fit tag {file} --text text --labels labels -o out --tagger factor"
GRADE = "fit grade {file} -o out"
STREAM = "stream {file} -o out --factors 1"
ACCEPT = "fit tag {folder}/texts.csv --text text --labels labels -o out --accepted {file}"
TIME = "evaluate {file} --split time"

MESSY = {
    "Latin-1": ("latin.csv", "user,item\nann,tea\nbob,café\n".encode("latin-1"), FIT, "line 3", "--encoding latin-1"),
    "UTF-16 from a spreadsheet": (
        "wide.csv",
        "user,item\nann,tea\n".encode("utf-16"),
        FIT,
        "UTF-16",
        "--encoding utf-16",
    ),
    "an encoding that does not exist": (
        "plain.csv",
        b"user,item\nann,tea\n",
        FIT + " --encoding klingon",
        "'klingon'",
        "latin-1",
    ),
    "the wrong encoding": (
        "bytes.csv",
        b"user,item\nann,caf\x81\n",
        FIT + " --encoding cp1252",
        "line 2 .* 0x81",
        "--encoding",
    ),
    "a separator that was said wrongly": (
        "semicolons.csv",
        b"user;item\nann;tea\n",
        FIT + " --separator ,",
        "';'",
        "--separator ';'",
    ),
    "one value too many": (
        "ragged.csv",
        b"user,item\nann,tea\nbob,jam, red\n",
        FIT,
        "line 3 .* 'bob,jam, red'",
        "quotes",
    ),
    "a quote that is never closed": (
        "quote.csv",
        b'user,item\nann,"tea\nbob,jam\n',
        FIT,
        "line 2 .*'ann,\"tea'",
        "close or double it",
    ),
    "a line that ends early": (
        "short.csv",
        b"user,item\nann,tea\nbob\n",
        FIT,
        "line 3 of 'short.csv'",
        "--missing drop",
    ),
    "blank lines": ("blank.csv", b"user,item\n\nann,tea\n", FIT, "line 2 of 'blank.csv'", "--missing drop"),
    "an empty id": ("hole.csv", b"user,item\nann,tea\n,jam\n", FIT, "'user' .* line 3", "--missing drop"),
    "a blank id": ("blanks.csv", b"user,item\nann,tea\n  ,jam\n", FIT, "'user' .* line 3", "--missing drop"),
    "an empty id in quotes": ("quoted.csv", b'user,item\nann,tea\n"",jam\n', FIT, "'user' .* line 3", "--missing drop"),
    "nothing at all": ("empty.csv", b"", FIT, "'empty.csv' is empty", "header line and data"),
    "a header alone": ("header.csv", b"user,item\n", FIT, "'header.csv' holds no lines", "at least one"),
    "two columns of one name": (
        "twice.csv",
        b"user,item,item\nann,tea,jam\n",
        FIT + " --row user --col item",
        "'item'",
        "rename",
    ),
    "columns of unknown names": ("odd.csv", b"a,b,c\n1,2,3\n", FIT, "'a', 'b', 'c'", "--row NAME"),
    "a column that is not there": (
        "columns.csv",
        b"user,item\nann,tea\n",
        FIT + " --row usr --col item",
        "'usr'",
        "did you mean 'user'",
    ),
    "decimal commas": ("commas.csv", b"user;item;rating\nann;tea;3,5\n", FIT, "line 2 .* '3,5'", "--decimal ','"),
    "words among numbers": (
        "words.csv",
        b"user,item,rating\nann,tea,3\nbob,jam,n/a\n",
        FIT,
        "line 3 .* 'n/a'",
        "fix it",
    ),
    "marks of thousands": (
        "thousands.csv",
        b"user;item;rating\nann;tea;1,234\n",
        FIT,
        "line 2 .* '1,234'",
        "write 1234",
    ),
    "infinite weights": ("infinite.csv", b"user,item,rating\nann,tea,inf\n", FIT, "line 2 .* inf", "drop or map"),
    "negative weights": ("negative.csv", b"user,item,rating\nann,tea,-2\n", FIT, "line 2 .* -2", "drop or map"),
    "day or month first": (
        "days.csv",
        b"user,item,when\nann,tea,05/01/2024\nann,jam,06/01/2024\n",
        TIME,
        "'05/01/2024' in line 2",
        "--time-format %d/%m/%Y",
    ),
    "dates of two forms": (
        "dates.csv",
        b"user,item,when\nann,tea,2024-01-05\nann,jam,6.1.2024\n",
        TIME,
        "'6.1.2024' in line 3",
        "one form",
    ),
    "a date that is none": (
        "soon.csv",
        b"user,item,when\nann,tea,soon\nann,jam,later\n",
        TIME,
        "'soon' in line 2",
        "--time-format",
    ),
    "a cut archive": (
        "cut.csv.gz",
        gzip.compress(b"user,item\n" + bytes(range(48, 123)) * 99, mtime=0)[:60],
        FIT,
        "'cut.csv.gz' is cut short",
        "copy it again",
    ),
    "an archive in name only": ("liar.csv.gz", b"\x1f\x8b\x08\x00rubbish", FIT, "'liar.csv.gz'", "copy it again"),
    "JSON that breaks off": (
        "broken.jsonl",
        b'{"user": "ann", "item": 1}\n{"user": "bob", "it\n',
        FIT,
        "line 2 .* 'bob|it",
        "every line should be one",
    ),
    "no lines above the threshold": (
        "low.csv",
        b"user,item,rating\nann,tea,2\n",
        FIT + " --min-weight 4",
        "nothing is left of 1",
        "lower it",
    ),
    "ratings that are words": ("good.csv", b"user,item,rating\nann,tea,good\n", RATE, "line 2 .* 'good'", "fix it"),
    "ratings that are missing": (
        "lacking.csv",
        b"user,item,rating\nann,tea,\n",
        RATE,
        "line 2",
        "leave such lines out",
    ),
    "labels split by another sign": (
        "tags.csv",
        b"text,labels\na red ball,red;round\na blue sea,blue;wet\n",
        TAG,
        "'red;round' in line 2",
        "--separator ';'",
    ),
    "a decision that is neither yes nor no": (
        "reviewed.csv",
        b"row,label,accept\n0,red,maybe\n",
        ACCEPT,
        "line 2 .* 'maybe'",
        "write yes, no",
    ),
    "grades that are words": ("grades.csv", b"size,grade\n1,poor\n2,good\n3,\n", GRADE, "'grade'", "--order"),
    "features that are empty": (
        "holes.csv",
        b"size,grade\n1,1\n,2\n",
        GRADE,
        "'size' .* line 3",
        "leave the column out",
    ),
    "no numbers to learn from": ("texts-only.csv", b"name,grade\na,1\nb,2\n", GRADE, "'texts-only.csv'", "code text"),
    "a stream that is not UTF-8": (
        "stream.csv",
        "user,item,rating\ncafé,tea,3\n".encode("latin-1"),
        STREAM,
        "line 2 of 'stream.csv' .*café",
        "--encoding",
    ),
    "a rating that is no number": (
        "many.csv",
        b"user,item,rating\nann,tea,3\nbob,jam,many\n",
        STREAM,
        "line 3 .* 'many'",
        "--skip-bad",
    ),
    "a rating that is not finite": (
        "nan.csv",
        b"user,item,rating\nann,tea,nan\n",
        STREAM,
        "line 2 .* 'nan'",
        "--skip-bad",
    ),
    "a rating below zero": (
        "below.csv",
        b"user,item,rating\nann,tea,-3\n",
        STREAM + " --nonnegative --biases none",
        "line 2 .* '-3'",
        "--skip-bad",
    ),
    "a stream whose separator was said wrongly": (
        "signs.csv",
        b"user;item;rating\nann;tea;3\n",
        f"{STREAM} --separator ,",
        "'user;item;rating'",
        "--separator ';'",
    ),
    "an output that is the input": (
        "mine.csv",
        b"user,item\nann,tea\n",
        "fit recommend {file} -o {file}",
        "'mine.csv'",
        "another name",
    ),
}


def write(folder, name):
    """The messy file, and what stands beside it."""
    (folder / "texts.csv").write_text("text,labels\na red ball,red\nthe blue sea,blue\n")
    (folder / MESSY[name][0]).write_bytes(MESSY[name][1])


def typed(name):
    """The command as a user types it in that folder."""
    return MESSY[name][2].format(file=MESSY[name][0], folder=".")


@pytest.mark.parametrize("name", MESSY)
def test_the_sentence_names_place_value_and_remedy(name, tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, name)
    said = refused(*typed(name).split())
    _, _, _, place, remedy = MESSY[name]
    assert re.search(place, said), said
    assert remedy in said, said
    # A stream keeps what it learned before the bad line; nothing else leaves a file.
    assert (tmp_path / "out").exists() == (name == "a rating that is no number")


def test_there_are_forty():
    assert len(MESSY) >= 40


def test_remedies_work(tmp_path, monkeypatch, capsys):
    """What the sentences advise makes the same files readable."""
    monkeypatch.chdir(tmp_path)
    advice = {
        "Latin-1": "--encoding latin-1",
        "UTF-16 from a spreadsheet": "--encoding utf-16",
        "decimal commas": "--decimal ,",
        "a line that ends early": "--missing drop",
        "blank lines": "--missing drop",
        "labels split by another sign": "--separator ; --min-count 1",
        "grades that are words": "--order poor,good --kernel linear",
        "a rating that is no number": "--skip-bad",
    }
    for number, (name, options) in enumerate(advice.items()):
        write(tmp_path, name)
        main([*typed(name).replace("-o out", f"-o out{number}").split(), *options.split()])
        assert (tmp_path / f"out{number}").exists(), name
    for form in ("%d/%m/%Y", "%m/%d/%Y"):
        write(tmp_path, "day or month first")
        main([*["evaluate", "days.csv", "--split", "time", "--factors", "1", "--time-format"], form])

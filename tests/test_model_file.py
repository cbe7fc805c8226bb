"""The model file: what went in comes out, and what is damaged, foreign or lying is refused in one sentence."""

import json
import os
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import model_file
from tacit.errors import InputError, ModelFileError

STATE = {"parameters": {"factors": 3, "loss": "square"}, "facts": {"name": "ünï", "history": [0.5, None]}}
ARRAYS = {
    "rows": np.arange(12, dtype=np.float32).reshape(4, 3),
    "counts": np.array([3, -1], dtype=np.int64),
    "empty": np.zeros((0, 5), dtype=np.float64),
    "mask": np.array([True, False, True]),
    "one": np.array(7.5),
}


@pytest.fixture
def path(tmp_path):
    model_file.write(tmp_path / "model.tacit", "Example", STATE, ARRAYS)
    return tmp_path / "model.tacit"


def taken_apart(path):
    """Header table and body of a file, without its checksum: whoever forges a file can take that away too."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    said = json.loads(header["__metadata__"]["tacit"])
    said.pop("crc32", None)
    header["__metadata__"]["tacit"] = json.dumps(said)
    return header, content[8 + length :]


def put_together(path, header, body):
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + body)


def refused(path, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        model_file.read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


# -- the checksum --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(0, 100, 7))
def test_a_byte_that_changed_in_the_arrays_is_noticed(path, part):
    _, body = taken_apart(path)
    place = len(path.read_bytes()) - len(body) + len(body) * part // 100
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    refused(path, "has changed since it was saved: its values do not match its checksum")


def test_a_parameter_that_changed_is_noticed(path):
    path.write_bytes(path.read_bytes().replace(b'factors\\":3', b'factors\\":4'))
    assert model_file.about(path)["state"]["parameters"]["factors"] == 4
    refused(path, "do not match its checksum")


@pytest.mark.parametrize("checksum", [7, "", "00", ["a"]])
def test_a_checksum_that_is_none_is_refused(path, checksum):
    header, body = taken_apart(path)
    said = json.loads(header["__metadata__"]["tacit"]) | {"crc32": checksum}
    put_together(path, header | {"__metadata__": {"tacit": json.dumps(said)}}, body)
    refused(path, "do not match its checksum")


def test_a_file_without_a_checksum_is_read_as_it_is(path):
    put_together(path, *taken_apart(path))
    np.testing.assert_array_equal(model_file.read(path)[2]["rows"], ARRAYS["rows"])


# -- there and back ------------------------------------------------------------------------------------------------


def test_what_went_in_comes_out(path):
    kind, state, arrays = model_file.read(path)
    assert (kind, state) == ("Example", STATE)
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array, strict=True)
        assert type(arrays[name]) is np.ndarray
        assert arrays[name].flags.c_contiguous
        assert arrays[name].flags.aligned


@given(
    arrays=st.dictionaries(
        st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
        st.tuples(
            st.sampled_from(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i8"]),
            st.lists(st.integers(0, 4), max_size=3),
        ),
        max_size=5,
    )
)
def test_any_arrays_come_back(tmp_path_factory, arrays):
    rng = np.random.default_rng(0)
    made = {name: rng.integers(0, 2, size=shape).astype(dtype) for name, (dtype, shape) in arrays.items()}
    path = tmp_path_factory.mktemp("model") / "m"
    model_file.write(path, "Example", {}, made)
    _, _, found = model_file.read(path)
    assert found.keys() == made.keys()
    for name, array in made.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(found[name], array)


def test_equal_models_are_equal_bytes(path, tmp_path):
    backwards = dict(reversed(ARRAYS.items())) | {"rows": np.asfortranarray(ARRAYS["rows"])}
    model_file.write(tmp_path / "again", "Example", dict(reversed(STATE.items())), backwards)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("change", ["cut", "overwrite", "remove"])
def test_a_file_that_changes_later_does_not_touch_what_was_read(path, change):
    """A mapped file that is cut short kills the process; one that is overwritten changes answers in silence."""
    arrays = model_file.read(path)[2]
    if change == "cut":
        os.truncate(path, 0)
    elif change == "overwrite":
        with path.open("rb+") as file:
            file.write(b"\xff" * path.stat().st_size)
    else:
        path.unlink()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)


def test_a_header_that_unfolds_without_end_is_refused_before_it_is_parsed(path, monkeypatch):
    monkeypatch.setattr(model_file, "LARGEST_HEADER", 4096)
    model_file.write(path, "Example", {"note": "x" * 1000}, {})
    with pytest.raises(InputError, match="bytes of names and settings, and 4096 are allowed"):
        model_file.write(path, "Example", {"note": "x" * 4000}, {})
    put_together(path, b'{"__metadata__": {"tacit": "' + b"[" * 5000, b"")
    refused(path, "is not a Tacit model")


def test_writing_to_a_loaded_array_does_not_change_the_file(path):
    before = path.read_bytes()
    _, _, arrays = model_file.read(path)
    arrays["rows"][:] = -1
    assert path.read_bytes() == before
    assert model_file.read(path)[2]["rows"].min() == 0


def test_a_failed_write_leaves_the_old_file_and_no_litter(path):
    before = path.read_bytes()
    for arrays in ({"bad": np.array([object()])}, {"bad": np.array([1j])}, {"bad": np.array(["text"])}):
        with pytest.raises(InputError, match="bad cannot be saved"):
            model_file.write(path, "Example", {}, arrays)
    for state in ({"loss": float("nan")}, {"loss": np.float32(1)}):
        with pytest.raises(InputError, match="parameters of this Example cannot be saved"):
            model_file.write(path, "Example", state, {})
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208


def test_a_full_disk_leaves_the_old_file_and_no_litter(path, monkeypatch):
    from safetensors import numpy as writer

    def fill(tensors, name, metadata):
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(writer, "save_file", fill)
    with pytest.raises(InputError, match=r"could not be written.* No space left"):
        model_file.write(path, "Example", STATE, ARRAYS)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208


def test_a_file_has_the_usual_rights_and_bad_places_are_named(path, tmp_path):
    other = tmp_path / "plain"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    with pytest.raises(InputError, match=r"folder .* does not exist"):
        model_file.write(tmp_path / "nowhere" / "m", "Example", {}, {})
    with pytest.raises(InputError, match="is a folder"):
        model_file.write(tmp_path, "Example", {}, {})


# -- damaged, foreign, newer ---------------------------------------------------------------------------------------


def test_a_file_cut_anywhere_is_refused(path):
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        refused(path, "is not a Tacit model|cut short")


def test_absent_and_foreign_files(tmp_path):
    refused(tmp_path / "nothing", "there is no model file")
    refused(tmp_path, "there is no model file")
    for content in (b"", b"PK\x03\x04" + b"\0" * 50, b"{}", b"user,item\n" * 9, b"\x80\x04\x95" * 30, b"\xff" * 64):
        (tmp_path / "foreign").write_bytes(content)
        refused(tmp_path / "foreign", "is not a Tacit model")


@pytest.mark.parametrize(
    "metadata",
    [
        None, [], {}, {"format": "pt"}, {"tacit": 3}, {"tacit": "not json"}, {"tacit": "[]"}, {"tacit": "[" * 100_000},
        {"tacit": json.dumps({"format": 1, "kind": "A", "state": [], "version": "1"})},
        {"tacit": json.dumps({"format": 1, "kind": 3, "state": {}, "version": "1"})},
        {"tacit": json.dumps({"format": "1", "kind": "A", "state": {}, "version": "1"})},
        {"tacit": '{"format": 1e999, "kind": "A", "state": {}, "version": "1"}'},
    ],
    ids=str,
)  # fmt: skip
def test_safetensors_of_other_programs(path, metadata):
    header, body = taken_apart(path)
    put_together(path, header | {"__metadata__": metadata}, body)
    refused(path, "of another program")
    del header["__metadata__"]
    put_together(path, header, body)
    refused(path, "of another program")


def test_a_newer_format_names_both_versions(path):
    header, body = taken_apart(path)
    about = json.loads(header["__metadata__"]["tacit"]) | {"format": 2, "version": "9.9"}
    put_together(path, header | {"__metadata__": {"tacit": json.dumps(about)}}, body)
    refused(path, r"newer Tacit 9\.9 \(format 2\).* upgrade Tacit")


# -- headers that lie ----------------------------------------------------------------------------------------------

LIES = {
    "overlapping arrays": lambda h: h["rows"].update(data_offsets=h["counts"]["data_offsets"], shape=[4]),
    "the same bytes twice": lambda h: h.update(twin=dict(h["counts"])),
    "a gap": lambda h: h["mask"].update(data_offsets=[place + 1 for place in h["mask"]["data_offsets"]]),
    "larger than its place": lambda h: h["rows"].update(shape=[4, 4]),
    "smaller than its place": lambda h: h["rows"].update(shape=[4, 2]),
    "negative extents": lambda h: h["rows"].update(shape=[-4, -3]),
    "a negative place": lambda h: h["rows"].update(data_offsets=[-48, 0]),
    "backwards": lambda h: h["rows"].update(data_offsets=h["rows"]["data_offsets"][::-1]),
    "huge extents": lambda h: h["rows"].update(shape=[2**62, 2**62]),
    "extents that wrap to the right size": lambda h: h["rows"].update(shape=[2**62, 4, 3]),
    "huge and empty": lambda h: h["empty"].update(shape=[0, 2**62, 2**62]),
    "too many dimensions": lambda h: h["mask"].update(shape=[3] + [1] * 70),
    "a million dimensions": lambda h: h["mask"].update(shape=[2**60] * 100_000),
    "fractions": lambda h: h["mask"].update(shape=[3.0]),
    "booleans": lambda h: h["mask"].update(shape=[3, True]),
    "text": lambda h: h["mask"].update(shape=["3"]),
    "no shape": lambda h: h["mask"].pop("shape"),
    "a shape that is none": lambda h: h["mask"].update(shape=3),
    "an unknown type": lambda h: h["rows"].update(dtype="BF16"),
    "a type that is none": lambda h: h["rows"].update(dtype=["F32"]),
    "three places": lambda h: h["mask"].update(data_offsets=[0, 1, 2]),
    "no table": lambda h: h.update(mask="F32"),
    "null": lambda h: h.update(mask=None),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_refused(path, lie):
    header, body = taken_apart(path)
    LIES[lie](header)
    put_together(path, header, body)
    refused(path, "a header that does not fit its content")


def test_bytes_behind_the_last_array_are_refused(path):
    header, body = taken_apart(path)
    put_together(path, header, body + b"extra")
    refused(path, "bytes behind the last array")


def test_unaligned_arrays_come_into_memory_that_is(path):
    """The safetensors library never writes them; kernels would take them for another type."""
    header, _ = taken_apart(path)
    entries = {
        "mask": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]},
        "rows": {"dtype": "F32", "shape": [1], "data_offsets": [1, 5]},
    }
    put_together(path, {"__metadata__": header["__metadata__"]} | entries, b"\0" * 5)
    assert model_file.read(path)[2]["rows"].flags.aligned


@pytest.mark.parametrize(
    "header", [b"[]", b"3", b"null", b"{", b"{}" * 3, b"[" * 200_000, b"\xff\xfe{}", b'{"a": NaN}']
)
def test_headers_that_are_no_table(path, header):
    put_together(path, header, b"")
    refused(path, "is not a Tacit model|of another program")


@settings(max_examples=300)
@given(
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4),
    cut=st.none() | st.integers(0, 10**6),
)
def test_no_change_of_bytes_does_more_than_change_numbers_or_be_refused(tmp_path_factory, changes, cut):
    """Whatever happens to the bytes: one sentence, or arrays that lie inside the file."""
    path = tmp_path_factory.mktemp("mutated") / "m"
    model_file.write(path, "Example", STATE, ARRAYS)
    put_together(path, *taken_apart(path))
    content = bytearray(path.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    path.write_bytes(content if cut is None else content[: cut % len(content)])
    try:
        kind, state, arrays = model_file.read(path)
    except ModelFileError:
        return
    assert isinstance(kind, str)
    assert isinstance(state, dict)
    assert sum(array.nbytes for array in arrays.values()) < path.stat().st_size
    for array in arrays.values():
        array.tobytes()

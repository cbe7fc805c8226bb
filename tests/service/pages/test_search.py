"""Search finds what a plain scan finds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tacit.service.pages.search import SearchIndex

WORDS = st.text(st.sampled_from("abä1 -<"), max_size=12)


@given(st.lists(st.tuples(WORDS, st.none() | WORDS), max_size=12), WORDS)
def test_every_word_of_the_query_begins_a_word_of_what_is_found(texts, query):
    index = SearchIndex([one for one, _ in texts], [title for _, title in texts])
    asked = re.findall(r"\w+", query.lower())
    held = [re.findall(r"\w+", f"{one} {title or ''}".lower()) for one, title in texts]
    every = [word for words in held for word in words]

    def holds(words, part):
        begun = any(word.startswith(part) for word in every)
        return any(word.startswith(part) if begun else part in word for word in words)

    if asked:
        expected = {n for n, words in enumerate(held) if all(holds(words, part) for part in asked)}
    else:
        expected = set() if query.strip() else set(range(len(texts)))
    assert set(index.search(query, n=50)) == expected


def test_the_query_itself_comes_first_and_then_the_order_given():
    index = SearchIndex(["b", "a", "c"], ["tea for two", "green tea", "tea"])
    assert index.search("tea") == [0, 2, 1]
    assert index.search("tea", n=1) == [0] and index.search("x" * 10_000) == []
    assert len(SearchIndex([], [])) == 0 and SearchIndex([], []).search("a") == []

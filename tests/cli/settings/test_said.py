"""Who has the last word, whatever was said and in whichever order it was read."""

from hypothesis import given
from hypothesis import strategies as st

from bascule.cli.settings.said import ORDER, Said, laid_over

KEYS = [("claude", "model"), ("claude", "effort"), ("policy", "default")]

SAID = st.builds(
    lambda key, origin, value: Said(key, value, origin, f"{origin} {value}"),
    st.sampled_from(KEYS),
    st.sampled_from(ORDER),
    st.integers(),
)
ADDED = st.builds(
    lambda origin, value, adds: Said(("claude", "env"), tuple(value), origin, "", adds),
    st.sampled_from(ORDER),
    st.lists(st.sampled_from("abcd"), max_size=3, unique=True),
    st.booleans(),
)


SOURCES = st.lists(SAID, unique_by=lambda one: (one.key, one.origin))


@given(SOURCES.flatmap(lambda said: st.tuples(st.just(said), st.permutations(said))))
def test_the_later_origin_has_the_last_word_whatever_the_order(both: tuple[list[Said], list[Said]]) -> None:
    said, shuffled = both
    holds = laid_over(shuffled)
    assert holds == laid_over(said)
    for key in KEYS:
        ours = [one for one in said if one.key == key]
        assert holds.get(key) == max(ours, key=lambda one: ORDER.index(one.origin), default=None)


@given(st.lists(ADDED, unique_by=lambda one: one.origin))
def test_what_adds_keeps_what_is_below_and_what_does_not_replaces_it(said: list[Said]) -> None:
    expected: tuple[str, ...] = ()
    for one in sorted(said, key=lambda one: ORDER.index(one.origin)):
        expected = tuple(dict.fromkeys((*expected, *one.value))) if one.adds else one.value
    holds = laid_over(said)
    assert [one.value for one in holds.values()] == ([expected] if said else [])


def test_within_one_origin_what_comes_last_holds() -> None:
    said = [Said(("claude", "model"), value, "user", "") for value in ("a", "b")]
    assert laid_over(said)["claude", "model"].value == "b"

"""Where tables and keys of a TOML text stand."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy.positions import nearest, positions, syntax_mistake

TEXT = '''# [[rule]]
name = """
[[rule]]
key = 1
\\""" [[rule]] """
  [[rule]]   # the first
match = "[[rule]]"
"un less" = [ # [
  'a', "]",
  [],
]
until = 2026-12-31

[[ "rule" ]]
'literal' = \'\'\'
x = 1\'\'\'\'
a.b . "c" = { d = 1 }
[rule.inner]
e = 1
[other]
\tf=2'''


def test_headers_and_keys_are_told_and_nothing_inside_of_values() -> None:
    assert positions(TEXT) == {
        ("name",): (2, 1),
        ("rule", 0): (6, 3),
        ("rule", 0, "match"): (7, 1),
        ("rule", 0, "un less"): (8, 1),
        ("rule", 0, "until"): (12, 1),
        ("rule", 1): (14, 1),
        ("rule", 1, "literal"): (15, 1),
        ("rule", 1, "a", "b", "c"): (17, 1),
        ("rule", "inner"): (18, 1),
        ("rule", "inner", "e"): (19, 1),
        ("other",): (20, 1),
        ("other", "f"): (21, 2),
    }


def test_the_text_of_the_test_is_toml() -> None:
    assert tomllib.loads(TEXT)["rule"][1]["a"] == {"b": {"c": {"d": 1}}}


VALUES = st.sampled_from(
    ("1", '"x"', "'#'", '"\\""', '"""\n[[rule]]\nk = 1\n"""', "'''\n[x]\n'''", "[\n1, # ]\n[2]]", "{a = '}'}", '""')
)


@given(st.lists(st.lists(VALUES, max_size=4), max_size=4))
def test_each_key_of_each_table_is_found_on_its_line(tables: list[list[str]]) -> None:
    rows: list[str] = []
    expected: dict[tuple[str | int, ...], tuple[int, int]] = {}
    for number, values in enumerate(tables):
        expected[("rule", number)] = ("\n".join(rows).count("\n") + (2 if rows else 1), 1)
        rows.append("[[rule]]")
        for key, value in enumerate(values):
            expected[("rule", number, f"k{key}")] = ("\n".join(rows).count("\n") + 2, 2)
            rows.append(f" k{key} = {value} # it's")
    text = "\n".join(rows)
    assert len(tomllib.loads(text).get("rule", [])) == len(tables)
    assert positions(text) == expected


@given(st.text(alphabet="[]{}\"'#=.\n \\ab", max_size=60))
def test_a_text_that_is_no_toml_does_no_harm(text: str) -> None:
    assert all(line >= 1 and column >= 1 for line, column in positions(text).values())


def test_what_has_no_place_of_its_own_is_told_with_the_nearest_one() -> None:
    known = positions("x = 1\n[[rule]]\na = {b = 1}\n")
    assert nearest(known, ("rule", 0, "a", "b")) == (3, 1)
    assert nearest(known, ("rule", 7)) == (2, 1)
    assert nearest(known, ("other",)) == (1, 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = \n", "f:1:5: no TOML: Invalid value"),
        ("\na = [1", "f:2:7: no TOML: Unclosed array (at end of document)"),
    ],
)
def test_a_mistake_of_tomls_own_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as raised:
        tomllib.loads(text)
    assert syntax_mistake(raised.value, text, "f") == told

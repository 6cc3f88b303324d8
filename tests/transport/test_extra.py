"""Which arguments a user may add to the CLI's command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.errors import OptionError
from bascule.transport.extra import ALLOWED, REFUSED, SHORT, checked_extra

SECRET = "sk-ant-very-secret"


@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["--bare"],
        ["--bare", "--brief"],
        ["--name=mine", "--autocompact=auto"],
        ["--name", "mine", "--bare"],
        ["-n", "mine"],
        ["-nmine"],
        ["--prompt-suggestions", "--bare"],
        ["--prompt-suggestions", "true"],
        ["--file", "a:b", "c:d", "--bare"],
        ["--a-flag-of-next-year"],
        ["--a-flag-of-next-year=-p"],
        ["--autocompact=200000"],
    ],
)
def test_what_touches_nothing_of_ours_passes_as_it_is(extra: list[str]) -> None:
    assert checked_extra(extra) == tuple(extra)


@pytest.mark.parametrize("form", ["--{}", "--{}=" + SECRET])
@pytest.mark.parametrize("name", [*REFUSED, "allowedTools", "disallowedTools", "permissionMode", "OUTPUT-FORMAT"])
def test_L117_a_flag_of_ours_is_refused_in_every_form(name: str, form: str) -> None:
    assert_refused([form.format(name)], f"--{name}")
    assert_refused(["--bare", form.format(name), SECRET], f"--{name}")


@pytest.mark.parametrize("letter", sorted(set(SHORT) - {"n"}))
@pytest.mark.parametrize("rest", ["", SECRET, "n"])
def test_L117_a_short_flag_is_refused_alone_attached_and_in_a_cluster(letter: str, rest: str) -> None:
    assert_refused([f"-{letter}{rest}"], f"-{letter}")


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        (["--"], "argument 1"),
        (["--", "prompt"], "argument 1"),
        (["a prompt"], "argument 1"),
        (["--bare", "a prompt"], "argument 2"),
        (["--a-flag-of-next-year", "value"], "argument 2"),
        (["-"], "argument 1"),
        ([""], "argument 1"),
        (["-x"], "-x"),
        (["--=x"], "argument 1"),
        (["--name", "--dangerously-skip-permissions"], "--dangerously-skip-permissions"),
        (["--name", "--bare"], "argument 2"),
        (["--name"], "lacks its value"),
        (["--bare=x", "-p"], "-p"),
        (["--name=x", "y"], "argument 2"),
        (["--prompt-suggestions", "true", "y"], "argument 3"),
    ],
)
def test_what_could_be_a_prompt_or_hide_a_flag_is_refused(extra: list[str], named: str) -> None:
    assert_refused(extra, named)


@pytest.mark.parametrize(
    "name", ["permission-m", "dangerously", "perm", "out", "ses", "res", "cont", "allowed", "no-verbose"]
)
def test_L117_abbreviations_and_negations_are_refused(name: str) -> None:
    assert_refused([f"--{name}"], f"--{name}")


@pytest.mark.parametrize("name", ["skip-all-permissions", "bypass-checks", "allow-everything", "unsafe-mode"])
def test_a_new_flag_that_smells_of_more_rights_is_refused(name: str) -> None:
    assert_refused([f"--{name}"], f"--{name}")


def test_everything_wrong_is_told_at_once_and_once() -> None:
    with pytest.raises(OptionError) as caught:
        checked_extra(["-p", "--verbose", "-p", "--verbose=x"])
    assert str(caught.value).count("-p is refused") == 1
    assert str(caught.value).count("--verbose is refused") == 1


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_text_either_passes_unchanged_or_is_refused_without_its_values(extra: list[str]) -> None:
    try:
        assert checked_extra(extra) == tuple(extra)
    except OptionError as error:
        assert str(error).startswith("extra_args: ")


@given(
    st.sampled_from(sorted(REFUSED)),
    st.lists(st.sampled_from(["--bare", "--name=x", "--file", "a:b", "--prompt-suggestions", "--new"]), max_size=5),
    st.lists(st.sampled_from(["--bare", "--name=x", "--new", "x"]), max_size=5),
    st.booleans(),
)
def test_L117_nothing_around_a_refused_flag_hides_it(
    name: str, before: list[str], after: list[str], attached: bool
) -> None:
    flag = f"--{name}={SECRET}" if attached else f"--{name}"
    assert_refused([*before, flag, *after], f"--{name} is refused")


def test_the_tables_do_not_overlap() -> None:
    assert not REFUSED.keys() & ALLOWED.keys()
    assert set(SHORT.values()) <= REFUSED.keys() | ALLOWED.keys()


def assert_refused(extra: list[str], named: str) -> None:
    """The error names what is wrong, and no value."""
    with pytest.raises(OptionError) as caught:
        checked_extra(extra)
    assert named in str(caught.value)
    assert SECRET not in str(caught.value)

"""One error in nested groups comes out as itself; several stay together."""

import pytest

from bascule.aio.unwrapped import only_error


def test_the_only_error_comes_out_of_its_groups() -> None:
    with pytest.raises(KeyError), only_error():
        raise ExceptionGroup("outer", [ExceptionGroup("inner", [KeyError("x")])])


def test_several_errors_stay_a_group() -> None:
    with pytest.raises(ExceptionGroup) as caught, only_error():
        raise ExceptionGroup("outer", [ExceptionGroup("inner", [KeyError("x"), ValueError("y")])])
    assert len(caught.value.exceptions) == 2


def test_what_is_no_group_passes() -> None:
    with pytest.raises(ValueError, match="alone"), only_error():
        raise ValueError("alone")

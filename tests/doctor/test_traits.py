"""The tables of what CLIs do one way or another."""

from pathlib import Path

import pytest

from bascule.doctor.catalogue import TRAITS
from bascule.doctor.promises import PROMISES
from bascule.doctor.traits import NEWEST, OLDEST, Trait, Way
from bascule.doctor.variants import VARIANTS
from tests.doctor.recorded import RECORDINGS

SCENARIOS = Path(__file__).parents[1] / "recordings"


def test_every_trait_has_a_name_of_its_own() -> None:
    assert len(TRAITS) == len(PROMISES) + len(VARIANTS)


@pytest.mark.parametrize("trait", TRAITS.values(), ids=lambda trait: trait.name)
def test_every_tested_version_goes_one_way(trait: Trait) -> None:
    for version in (NEWEST, OLDEST):
        assert sum(version in way.shown for way in trait.ways) == 1
    assert NEWEST in trait.ways[0].shown, "the newest version's way comes first: others are compared with it"
    assert len({way.way for way in trait.ways}) == len(trait.ways)


@pytest.mark.parametrize("trait", TRAITS.values(), ids=lambda trait: trait.name)
def test_every_way_is_shown_by_a_recording(trait: Trait) -> None:
    shown = [(version, name) for way in trait.ways for version, name in way.shown.items()]
    assert [each for each in shown if not recording(*each).is_file()] == []


def recording(version: str, name: str) -> Path:
    folder = RECORDINGS if name.startswith("probe/") else SCENARIOS
    return folder / version / f"{name.removeprefix('probe/')}.jsonl"


def test_promises_are_kept_by_both_versions_and_variants_tell_them_apart() -> None:
    assert [trait.name for trait in PROMISES if trait.of(NEWEST) != trait.of(OLDEST)] == []
    assert [trait.name for trait in VARIANTS if trait.of(NEWEST) == trait.of(OLDEST)] == []


def test_no_tested_version_breaks_anything() -> None:
    assert [trait.name for trait in TRAITS.values() if (way := trait.of(OLDEST)) and way.weight == "breaking"] == []


def test_what_nobody_does_is_not_known() -> None:
    trait = Trait("t", "A thing", (Way("a", "is so"),))
    assert trait.of(NEWEST) is None
    assert trait.known("a") == trait.ways[0]
    assert trait.known("b") is None

"""The page about the command line is made from the command line, and is current."""

from scripts.write_cli_reference import PAGE, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "run python -m scripts.write_cli_reference"


def test_the_page_names_every_command_and_option() -> None:
    made = page()
    for name in ("## bascule run", "## bascule replay", "## bascule demo", "`--answers LIST`", "`--use-api-key`"):
        assert name in made

"""What is wrong with something that users write, in one line."""

from __future__ import annotations

from pydantic import ValidationError


def first_problem(error: ValidationError) -> str:
    """Return where the first problem is and what it is."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = "there is no such key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said

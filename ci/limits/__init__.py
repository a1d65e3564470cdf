"""docs/limits.md, from the quirks and the tests that show them."""

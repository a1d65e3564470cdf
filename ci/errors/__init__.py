"""The page of errors, docs/errors.md: made of the table that the tests go by."""

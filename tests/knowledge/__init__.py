"""Tests of the rule by which every test says how its expectation is known, and of the table that counts them."""

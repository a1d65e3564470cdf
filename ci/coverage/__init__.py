"""The coverage of HNS's contract: what the tests touched and how they know what to expect, and the page that says so.

``pytest -p ci.coverage.touched --touched DIR`` writes what a run touched; ``python -m ci.coverage DIR`` writes the
page of it, and with ``--check`` compares it with the one that is there. How things are known it collects itself.
"""

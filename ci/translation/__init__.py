"""The page of what is what in v1 and in v2.

``python -m ci.translation --write`` writes it, ``--check`` says whether the one there is what it would be.
"""

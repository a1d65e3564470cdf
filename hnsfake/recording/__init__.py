"""Exchanges with HNS, recorded in a form in which two machines can be compared; and their replay."""

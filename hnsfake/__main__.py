"""``python -m hnsfake``: the command line."""

from hnsfake.frontends.cli import main

main()

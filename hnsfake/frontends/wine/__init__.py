"""Windows programs on a node: Wine, with the prefix that such a program expects."""

from hnsfake.frontends.wine.installation import Installation, NoWineError
from hnsfake.frontends.wine.prefix import PrefixError, Prefixes, server_places

__all__ = ["Installation", "NoWineError", "PrefixError", "Prefixes", "server_places"]

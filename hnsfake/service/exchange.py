"""One call on its way through the steps, with what the steps found out."""

from __future__ import annotations

from dataclasses import dataclass

from hnsfake.service.call import Call
from hnsfake.service.handles import Handles
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


@dataclass
class Exchange:
    """A call, the transaction it runs in, and the parts of its answer.

    ``output`` is the JSON text for Enumerate, Query and HNSCall; ``handle`` what Create and Open give.
    """

    call: Call
    tx: Transaction
    facts: NodeFacts
    handles: Handles
    output: str | None = None
    handle: int | None = None

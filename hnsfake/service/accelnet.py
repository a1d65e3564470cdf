"""What HNS does with the MACs that accelerated networking leaves alone: one list, set and deleted as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hnsfake.documents.accelnet import ManagementMacs, management_macs_v1, read_management_macs
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


def replace_macs(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any]) -> None:
    """Set the list; the one before is gone (unverified: that a second POST does not add to the first)."""
    tx.put(read_management_macs(document, facts.unknown))


def delete(tx: Transaction) -> None:
    """Empty the list."""
    for macs in list(tx.all(ManagementMacs)):
        tx.drop(macs)


def show(tx: Transaction) -> dict[str, Any]:
    """Return the list."""
    return management_macs_v1(next(tx.all(ManagementMacs), None))

"""What Windows can and this data plane can't: refused by name, and nothing is left of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hnsfake import Lab
from hnsfake.documents.hresults import HResult
from hnsfake.service.call import Call, Reply

pytestmark = pytest.mark.ours("limits of this data plane")
VERSION = {"Major": 2, "Minor": 0}


def _create(lab: Lab, name: str, **vsids: int) -> Reply:
    subnets = [
        {"IpAddressPrefix": f"10.{number}.0.0/24", "Policies": [{"Type": "VSID", "Settings": {"IsolationId": vsid}}]}
        for number, vsid in enumerate(vsids.values(), 1 + len(name))
    ]
    document: dict[str, Any] = {
        "Name": name,
        "Type": "Overlay",
        "Ipams": [{"Subnets": subnets}],
        "SchemaVersion": VERSION,
    }
    return lab.nodes["n1"].invoke(Call("HcnCreateNetwork", json.dumps(document)))


def _lacks(reply: Reply) -> str:
    assert reply.hresult == HResult.ERROR_NOT_SUPPORTED
    return str(json.loads(reply.record or "")["Error"])


def test_an_overlay_network_with_two_vsids_is_said_to_be_lacking() -> None:
    with Lab(["n1"]) as lab:
        assert "hnsfake lacks overlay networks whose subnets have several VSIDs" in _lacks(
            _create(lab, "a", x=5000, y=5001)
        )
        assert _create(lab, "a", x=5000, y=5000).ok


def test_a_second_overlay_network_of_one_vsid_is_said_to_be_lacking() -> None:
    with Lab(["n1"]) as lab:
        assert _create(lab, "a", x=5000).ok
        assert "hnsfake lacks a second overlay network of one VSID" in _lacks(_create(lab, "bb", x=5000))
        assert _create(lab, "bb", x=5001).ok

"""A container's resolver is its registry view's: a file that is mapped over the machine's has no effect on it."""

from __future__ import annotations

import subprocess
import sys

import pytest

INSIDE = """
import ctypes, os, pathlib, sys, tempfile
from hnsfake import Lab
from hnsfake.dataplane.sandbox import enter_user_namespace

enter_user_namespace()
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, PRIVATE, BIND = 0x20000, 1 << 18 | 16384, 4096
assert libc.unshare(NEWNS) == 0 and libc.mount(b"none", b"/", None, PRIVATE, None) == 0, os.strerror(ctypes.get_errno())
mapped = pathlib.Path(tempfile.mkdtemp(), "resolv.conf")
mapped.write_text("nameserver 192.0.2.1\\nsearch mapped.test\\n")
target = os.path.realpath("/etc/resolv.conf")
assert libc.mount(str(mapped).encode(), target.encode(), None, BIND, None) == 0, os.strerror(ctypes.get_errno())
assert "mapped.test" in pathlib.Path("/etc/resolv.conf").read_text()

V2 = {"Major": 2, "Minor": 0}
with Lab(["n1"]) as lab, lab.outside.dns_server({"web.registry.test": ["10.0.0.7"]}):
    node = lab.nodes["n1"]
    network = node.hns_call("POST", "/networks/", {"Name": "nat", "Type": "nat"})["ID"]
    dns = {"DNSServerList": "203.0.113.10", "DNSSuffix": "registry.test"}
    endpoint = node.hns_call("POST", "/endpoints/", {"VirtualNetwork": network, **dns})["ID"]
    namespace = node.hcn("HcnCreateNamespace", {"SchemaVersion": V2}).handle
    node.hcn("HcnModifyNamespace", {"ResourceType": "Endpoint", "RequestType": "Add",
                                    "Settings": {"EndpointId": endpoint}}, handle=namespace)
    print(node.compartment(2).resolve("web"))
"""


@pytest.mark.known("documentation", "kubernetes/website windows-networking: DNS is HNS's, and no file's")
def test_a_file_mapped_over_resolv_conf_has_no_effect_on_the_resolver_inside() -> None:
    done = subprocess.run([sys.executable, "-c", INSIDE], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("('10.0.0.7',)\n", "")

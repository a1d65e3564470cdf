"""What load balancers and SDN routes have in common: in v1 each is a policy list.

Fields: microsoft/hcsshim internal/hns/hnspolicylist.go; what HNS adds: an output of Get-HnsPolicyList (HNS 15.0)
published in projectcalico/calico#8465.
"""

from __future__ import annotations

from hnsfake.documents.policy_list import read_ids, read_references
from hnsfake.documents.translation.codecs import GUID, HEALTH, IGNORED, LOWER_GUID, SHOWN, constant, resources_of
from hnsfake.documents.translation.table import Around, Codec, Row, at

_APPLIED = 2  # v1 ``State`` of a list whose rules are in place
_MODIFIABLE = 15 << 32 | 4  # unverified: where between HNS 13 and 15.4 the letter case changed
_SEEN = "projectcalico/calico#8465"


def _show_references(endpoints: tuple[str, ...], around: Around) -> list[str]:
    """Write references in the letter case in which the release writes v1 endpoint ids."""
    return [f"/endpoints/{one.lower() if around.new else one}" for one in endpoints]


def _show_endpoints(endpoints: tuple[str, ...], around: Around) -> list[str]:
    """Write HostComputeEndpoints.

    Upper case: kube-proxy took them as they came and compared them with ids it had put into upper case
    (kubernetes/kubernetes pkg/proxy/winkernel/hns.go, hashEndpoints; newer code changes both). Where a load
    balancer can be modified they are written as an endpoint's own id is: hcsshim takes a backend out of the
    document that Update returned by that id (microsoft/hcsshim hcn/hcnloadbalancer_test.go).
    """
    as_endpoints_are = around.of.version >= _MODIFIABLE
    return [one.lower() if as_endpoints_are else one for one in endpoints]


HEAD: tuple[Row, ...] = (
    # v2's id is in lower case (kubernetes-sigs/sig-windows-tools#84).
    Row("id", at("ID", GUID), at("ID", LOWER_GUID)),
    Row(
        "network_id",
        at("HostComputeNetwork", SHOWN),
        at("HostComputeNetwork", IGNORED),
        lost="the service fills it in: it is that of the endpoints",
        source=_SEEN,
    ),
    Row(
        "endpoints",
        at("References", Codec("each /endpoints/ and a GUID", read_references, _show_references)),
        at("HostComputeEndpoints", Codec("each a GUID, lower case from HNS 15.4 on", read_ids, _show_endpoints)),
    ),
    Row("version", at("Version", SHOWN), source=_SEEN),
    Row("activity_id", at("ActivityId", SHOWN), source=_SEEN),
    Row("activity_id", at("Resources", resources_of(lambda _: None)), source=_SEEN),
    Row("created", at("Health", HEALTH), source=_SEEN),
    Row("", at("AdditionalParams", constant({})), source=_SEEN),
    Row("", at("Flags", constant(0)), source=_SEEN),
    Row("", at("IsApplied", constant(False)), source=_SEEN),
    Row("", at("State", constant(_APPLIED)), source=_SEEN),
)
"""The rows of what isn't the list's policies; the list's references are in lower case, its own id is not."""

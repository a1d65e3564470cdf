"""Quirks of HNS' objects and of their life, from reports."""

from __future__ import annotations

from hnsfake.releases.quirks.quirk import Quirk, Span, everywhere

_NO_SUCH_RELEASE = "No node here is of that release."

QUIRKS = (
    Quirk(
        "nat-not-persistent",
        "NAT networks, when the node is rebooted",
        "They are gone afterwards.",
        everywhere(),
        ("MicrosoftDocs/Virtualization-Documentation virtualization/windowscontainers/container-networking",),
        "",
        "How HNS marks such networks isn't published: here those go whose flag says so.",
    ),
    Quirk(
        "hns-duplicate-ip",
        "L2Bridge, a local endpoint with the address of a remote one",
        "Both exist; without DSR answers for the local pod go to the remote one's node.",
        (Span("ws2019"), Span("ws2022")),
        ("kubernetes/kubernetes#138000", "kubernetes/kubernetes#130963"),
        "Delete the remote one first.",
        "Which of the two answers find isn't decided by anything published.",
    ),
    Quirk(
        "hns-2019-duplicate-ip",
        "Two endpoints created with one address at the same time",
        "Both calls succeed, sometimes.",
        (Span("ws2019"),),
        ("kubernetes/kubernetes pkg/proxy/winkernel/hns.go",),
        "",
        "It happens by chance, and how often isn't published.",
    ),
    Quirk(
        "endpoint-delete-blocks",
        "Deleting an endpoint",
        "The call hangs now and then.",
        everywhere(),
        ("antrea-io/antrea pkg/agent/cniserver/interface_configuration_windows.go",),
        "A time-out in the client.",
        "How often and how long isn't published; a fault rule delays calls: see docs/faults.md.",
    ),
    Quirk(
        "l2bridge-flap",
        "L2Bridge, the host's own connectivity",
        "It goes up and down every few seconds for as long as the network exists.",
        (Span("ws2022", 2113, 2762),),
        ("microsoft/Windows-Containers#439",),
        "An update.",
        "Neither cause nor rhythm is published.",
    ),
    Quirk(
        "static-ip-lost",
        "The first external network on an adapter with a static address",
        "The host's vNIC has a 169.254 address and DHCP; deleting the network brings the address back.",
        (),
        ("microsoft/SDN#498",),
        "Set the address again.",
        _NO_SUCH_RELEASE,
    ),
    Quirk(
        "nat-localhost",
        "A published port of a NAT network, from the host",
        "Neither localhost nor the host's address reaches it; the container's address does.",
        (),
        ("docker/docs#8353", "docker/for-win#458"),
        "1809 and later.",
        _NO_SUCH_RELEASE,
    ),
    Quirk(
        "nat-single-prefix",
        "A second NAT network",
        "It must lie inside the first one's internal prefix.",
        (),
        ("MicrosoftDocs/Virtualization-Documentation virtualization/windowscontainers/container-networking",),
        "1703 and later.",
        _NO_SUCH_RELEASE,
    ),
)

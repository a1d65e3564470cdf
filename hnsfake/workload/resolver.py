"""A resolver that follows the DNS settings of the compartment's endpoint, and nothing else.

Windows' rules in a container (kubernetes/website windows-networking, dns-pod-service): a name with a dot is
complete and gets no suffix; a name without one gets the first suffix. No file is read.
"""

from __future__ import annotations

import socket

import dns.exception
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.documents.dns import DnsSettings
from hnsfake.workload.engine import Engine


class ResolutionError(Exception):
    """A name was not resolved; the text says why: no servers, no answer, or what the server said."""


def resolve(
    engine: Engine, netns: NetNs, settings: DnsSettings, name: str, kind: str, timeout: float
) -> tuple[str, ...]:
    """Return the records of ``name``; raise ResolutionError."""
    if not settings.servers:
        raise ResolutionError("the endpoint has no DNS servers")
    question = dns.message.make_query(full_name(name, settings), dns.rdatatype.from_text(kind))
    problem = "no answer"
    for server in settings.servers:
        try:
            answer = _ask(engine, netns, server, question, timeout)
        except (dns.exception.DNSException, OSError) as error:
            problem = str(error) or type(error).__name__
            continue
        if answer.rcode() != dns.rcode.NOERROR:
            raise ResolutionError(f"{question.question[0].name}: {dns.rcode.to_text(answer.rcode())}")
        return tuple(
            record.to_text()
            for rrset in answer.answer
            for record in rrset
            if rrset.rdtype == question.question[0].rdtype
        )
    raise ResolutionError(f"{name}: {problem}")


def full_name(name: str, settings: DnsSettings) -> str:
    """Return the one name that is asked for."""
    if "." in name:
        return name
    suffix = next(iter(settings.search), settings.domain)
    return f"{name}.{suffix}" if suffix else name


def _ask(
    engine: Engine, netns: NetNs, server: str, question: dns.message.Message, timeout: float
) -> dns.message.Message:
    with engine.socket(netns, socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setblocking(False)
        return dns.query.udp(question, server, timeout=timeout, sock=client)

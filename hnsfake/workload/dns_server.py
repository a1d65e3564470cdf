"""A small DNS server for tests: a table of names, over UDP."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from ipaddress import ip_address

import dns.exception
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.workload.engine import Engine, Running
from hnsfake.workload.servers import Seen

_TTL = 30


class DnsServer(Running):
    """Answers A and AAAA questions from ``zone`` (full name, no final dot, to addresses); else NXDOMAIN."""

    def __init__(
        self, engine: Engine, netns: NetNs, address: str, zone: Mapping[str, Sequence[str]], port: int = 53
    ) -> None:
        self._zone = {name.lower(): tuple(addresses) for name, addresses in zone.items()}
        self._asked: list[str] = []
        self._seen: list[Seen] = []
        self._socket = engine.socket(
            netns, socket.AF_INET, socket.SOCK_DGRAM, 0, lambda made: made.bind((address, port))
        )
        self._socket.setblocking(False)
        engine.call(lambda: engine.loop.add_reader(self._socket, self._receive))
        super().__init__(engine)

    def asked(self) -> list[str]:
        """Return the names asked for so far."""
        return self._engine.call(lambda: list(self._asked))

    def seen(self) -> list[Seen]:
        """Return the askers so far."""
        return self._engine.call(lambda: list(self._seen))

    async def _stop(self) -> None:
        self._engine.loop.remove_reader(self._socket)
        self._socket.close()

    def _receive(self) -> None:
        try:
            data, peer = self._socket.recvfrom(65535)
            self._seen.append(Seen(peer[:2], self._socket.getsockname()[:2]))
            self._socket.sendto(self._answer(dns.message.from_wire(data)).to_wire(), peer)
        except (OSError, dns.exception.DNSException):
            return  # not a question, or nobody there to answer to

    def _answer(self, question: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(question)
        answer.flags |= dns.flags.AA
        if len(question.question) != 1:
            answer.set_rcode(dns.rcode.FORMERR)
            return answer
        asked = question.question[0]
        name = asked.name.to_text(omit_final_dot=True).lower()
        self._asked.append(name)
        if name not in self._zone:
            answer.set_rcode(dns.rcode.NXDOMAIN)
            return answer
        version = {dns.rdatatype.A: 4, dns.rdatatype.AAAA: 6}.get(asked.rdtype)
        addresses = [text for text in self._zone[name] if ip_address(text).version == version]
        if addresses:
            answer.answer.append(dns.rrset.from_text(asked.name, _TTL, "IN", asked.rdtype, *addresses))
        return answer

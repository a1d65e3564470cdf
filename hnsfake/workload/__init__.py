"""What runs inside a compartment, without a process each: servers, probes, ping, resolver, capture."""

from hnsfake.workload.capture import Capture
from hnsfake.workload.compartment import Compartment
from hnsfake.workload.dns_server import DnsServer
from hnsfake.workload.engine import Engine
from hnsfake.workload.frames import Frame
from hnsfake.workload.probe import Outcome, Result
from hnsfake.workload.resolver import ResolutionError
from hnsfake.workload.servers import TcpServer, UdpServer

__all__ = [
    "Capture",
    "Compartment",
    "DnsServer",
    "Engine",
    "Frame",
    "Outcome",
    "ResolutionError",
    "Result",
    "TcpServer",
    "UdpServer",
]

"""What HNS does with guest network services: their state, and ports of the host kept for a VM."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.guest_network_service import (
    STATES,
    GuestNetworkService,
    PortAccess,
    PortProtocol,
    PortRangeRequest,
    PortRequest,
    PortReservation,
    StateRequest,
    guest_network_service_v2,
    port_range_entry,
    read_guest_network_service,
)
from hnsfake.documents.hresults import HResult
from hnsfake.documents.text import read_object
from hnsfake.service import claims, pools
from hnsfake.service.exchange import Exchange
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = GuestNetworkService
not_found = HResult.ERROR_NOT_FOUND  # unverified: the code
E = TypeVar("E", PortProtocol, PortAccess)


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a service; return its id."""
    asked = read_guest_network_service(document, facts.unknown)
    service_id = object_id or asked.id or guids.new()
    if tx.find(GuestNetworkService, service_id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # as for networks
    tx.put(replace(asked, id=service_id))
    return service_id


def set_state(tx: Transaction, facts: NodeFacts, service: GuestNetworkService, settings: dict[str, Any]) -> None:
    """Carry out HcnModifyGuestNetworkService, which sets the state and nothing else (Microsoft's HCN schema)."""
    state = StateRequest.read(settings, facts.unknown).State
    if state not in STATES:
        raise HnsError(HResult.E_INVALIDARG)  # unverified: the code
    tx.put(replace(service, state=state))


def delete(tx: Transaction, service: GuestNetworkService) -> None:
    """Remove a service and what it reserved. (unverified: that open reservations do not keep it)."""
    for reservation in _reservations(tx):
        if reservation.service_id == service.id:
            tx.drop(reservation)
    tx.drop(service)


def show(_tx: Transaction, service: GuestNetworkService) -> dict[str, Any]:
    """Return the service's document."""
    return guest_network_service_v2(service)


def reserve_port(exchange: Exchange) -> None:
    """Carry out HcnReserveGuestNetworkServicePort: the answer's handle is the reservation's."""
    service = _service(exchange)
    request = PortRequest.read(read_object(exchange.call.document), exchange.facts.unknown)
    protocol, access = _member(PortProtocol, request.Protocol), _member(PortAccess, request.Access)
    if request.Port == 0:
        raise HnsError(HResult.E_INVALIDARG)
    if any(r.excludes(protocol, access, request.Port, request.Port) for r in _reservations(exchange.tx)):
        raise HnsError(HResult.HCN_E_PORT_ALREADY_EXISTS)  # unverified: the code
    _reserve(exchange, service, protocol, access, request.Port, request.Port)


def reserve_range(exchange: Exchange) -> None:
    """Carry out HcnReserveGuestNetworkServicePortRange: HNS chooses; always exclusive, always both protocols."""
    service = _service(exchange)
    count = PortRangeRequest.read(read_object(exchange.call.document), exchange.facts.unknown).PortCount
    if count == 0:
        raise HnsError(HResult.E_INVALIDARG)
    first = _free_range(exchange.tx, count)
    _reserve(exchange, service, PortProtocol.BOTH, PortAccess.EXCLUSIVE, first, first + count - 1)


def release(exchange: Exchange) -> None:
    """Carry out HcnReleaseGuestNetworkServicePortReservationHandle."""
    reservation_id = exchange.target(PortReservation)
    reservation = exchange.tx.find(PortReservation, reservation_id)
    if reservation is not None:
        exchange.tx.drop(reservation)
    exchange.close(PortReservation)


def enumerate_reservations(exchange: Exchange) -> None:
    """Carry out HcnEnumerateGuestNetworkPortReservations, which takes nothing: those of all services."""
    exchange.output = json.dumps([port_range_entry(reservation) for reservation in _reservations(exchange.tx)])


def _service(exchange: Exchange) -> GuestNetworkService:
    service_id = exchange.target(GuestNetworkService)
    service = exchange.tx.find(GuestNetworkService, service_id)
    if service is None:
        raise HnsError(not_found)
    return service


def _reserve(
    exchange: Exchange,
    service: GuestNetworkService,
    protocol: PortProtocol,
    access: PortAccess,
    first: int,
    last: int,
) -> None:
    made = PortReservation(guids.new(), service.id, service.virtual_machine, protocol, access, first, last)
    exchange.tx.put(made)
    exchange.output = json.dumps({"StartingPort": first, "EndingPort": last})
    exchange.open(PortReservation, made.id)


def _free_range(tx: Transaction, count: int) -> int:
    """Return the first of ``count`` ports in a row that neither a reservation nor an OutBoundNAT pool has.

    unverified: the range HNS takes them from; here that of its other pools.
    """
    taken = {port for reservation in _reservations(tx) for port in range(reservation.first, reservation.last + 1)}
    run = 0
    for port in pools.POOL_PORTS:
        block = port - (port - pools.POOL_PORTS.start) % pools.POOL_BLOCK
        run = 0 if port in taken or tx.claimed(claims.port_block(block)) else run + 1
        if run == count:
            return port - count + 1
    raise HnsError(HResult.ERROR_INTERNAL_ERROR)  # microsoft/WSL#12351: no block in a row is left


def _reservations(tx: Transaction) -> list[PortReservation]:
    return list(tx.all(PortReservation))


def _member(of: type[E], number: int) -> E:
    try:
        return of(number)
    except ValueError as error:
        raise HnsError(HResult.E_INVALIDARG) from error

"""v1: HNSCall's paths. A path has one to three words: a collection, an id, an action.

Paths and methods: microsoft/hcsshim internal/hns/*.go; microsoft/SDN Kubernetes/windows/hns.psm1 calls
without the trailing slash and with lower-case ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from hnsfake.documents.attach import SystemType, read_attach
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, v1_success
from hnsfake.documents.hresults import HResult
from hnsfake.documents.text import read_object, read_optional_object
from hnsfake.documents.translation.endpoint import statistics_v1
from hnsfake.releases import Feature
from hnsfake.service import accelnet, compute_system
from hnsfake.service import endpoint as endpoints
from hnsfake.service import namespace as namespaces
from hnsfake.service.exchange import Exchange
from hnsfake.service.nouns import BY_PATH, ENDPOINTS, NAMESPACES, NETWORKS, Collection

Action = Callable[[Exchange, str], Any]


def hns_call(exchange: Exchange) -> None:
    """Carry out HNSCall; the envelope goes to ``exchange.output``."""
    method, words = exchange.call.method.upper(), exchange.call.path.strip("/").split("/")
    collection, object_id, action = (*[word for word in words if word], "", "", "")[:3]
    shape = (method, collection.lower(), "{id}" if object_id else "", action.lower())
    carry_out = ROUTES.get(shape)
    if carry_out is None or len(words) > 3:
        exchange.facts.unknown.count("HNSCall", [f"{method} /{collection.lower()}/{action.lower()}"])
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)
    output = carry_out(exchange, object_id)
    exchange.output = v1_success(output, exchange.alphabetical)


def _list(objects: Collection, exchange: Exchange, _object_id: str) -> Any:
    return [objects.show(exchange.tx, noun) for noun in objects.all(exchange.tx)]


def _get(objects: Collection, exchange: Exchange, object_id: str) -> Any:
    return objects.show(exchange.tx, objects.get(exchange.tx, object_id))


def _create(objects: Collection, exchange: Exchange, _object_id: str) -> Any:
    created = objects.make(exchange.tx, exchange.facts, read_object(exchange.call.document))
    return objects.show(exchange.tx, objects.get(exchange.tx, created))


def _update(objects: Collection, exchange: Exchange, object_id: str) -> Any:
    noun = objects.get(exchange.tx, object_id)
    objects.update(exchange.tx, exchange.facts, noun, read_object(exchange.call.document))
    return objects.show(exchange.tx, objects.get(exchange.tx, object_id))


def _delete(objects: Collection, exchange: Exchange, object_id: str) -> Any:
    objects.remove(exchange.tx, objects.get(exchange.tx, object_id))


def _attach(exchange: Exchange, object_id: str) -> Any:
    endpoint: Endpoint = ENDPOINTS.get(exchange.tx, object_id)
    request = read_attach(read_optional_object(exchange.call.document), exchange.facts.unknown)
    kind = request.SystemType.lower()
    if kind == SystemType.HOST.lower():
        endpoints.attach_host(exchange.tx, endpoint, request.CompartmentID)
    elif kind == SystemType.CONTAINER.lower():
        compute_system.attach(exchange.tx, compute_system.find(exchange.tx, request.ContainerID), endpoint)
    else:
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)
    return _get(ENDPOINTS, exchange, object_id)


def _detach(exchange: Exchange, object_id: str) -> Any:
    endpoint: Endpoint = ENDPOINTS.get(exchange.tx, object_id)
    request = read_attach(read_optional_object(exchange.call.document), exchange.facts.unknown)
    if request.ContainerID in endpoint.containers and len(endpoint.containers) > 1:
        endpoints.unshare(exchange.tx, endpoint, request.ContainerID)
    else:
        endpoints.detach(exchange.tx, endpoint)  # unverified: also where another container, or a VM, is named
    return _get(ENDPOINTS, exchange, object_id)


def _none(_exchange: Exchange, _object_id: str) -> Any:
    """List what a node never has: activities, for each call is over before the next begins, and plug-ins.

    microsoft/SDN Kubernetes/windows/hns.psm1 asks for both.  # unverified: how one of them would look
    """
    return []


def _change_namespace(request: str, exchange: Exchange, object_id: str) -> Any:
    namespace = NAMESPACES.get(exchange.tx, object_id)
    namespaces.change_v1(exchange.tx, exchange.facts, namespace, request, read_object(exchange.call.document))
    return _get(NAMESPACES, exchange, object_id)


def _version(exchange: Exchange, _object_id: str) -> Any:
    major, minor = exchange.facts.release.hns
    return {"Major": major, "Minor": minor}


def _statistics(exchange: Exchange, object_id: str) -> Any:
    endpoint: Endpoint = ENDPOINTS.get(exchange.tx, object_id)
    return statistics_v1(endpoint, **asdict(exchange.facts.counters(endpoint.id)))


def _accelnet(change: Callable[[Exchange], None], exchange: Exchange, _object_id: str) -> Any:
    """Carry out a request for the list of MACs; every answer is the list as it is then."""
    if not exchange.facts.release.supports(Feature.ACCELNET):
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)  # unverified: as for any path that HNS doesn't have
    change(exchange)
    return accelnet.show(exchange.tx)


def _set_macs(exchange: Exchange) -> None:
    accelnet.replace_macs(exchange.tx, exchange.facts, read_object(exchange.call.document))


def _delete_macs(exchange: Exchange) -> None:
    accelnet.delete(exchange.tx)


def _nothing(_exchange: Exchange) -> None:
    pass


ROUTES: Mapping[tuple[str, str, str, str], Action] = {
    **{("GET", word, "", ""): partial(_list, verbs) for word, verbs in BY_PATH.items()},
    **{("POST", word, "", ""): partial(_create, verbs) for word, verbs in BY_PATH.items()},
    **{("GET", word, "{id}", ""): partial(_get, verbs) for word, verbs in BY_PATH.items()},
    **{("POST", word, "{id}", ""): partial(_update, verbs) for word, verbs in BY_PATH.items() if verbs.updatable},
    **{("DELETE", word, "{id}", ""): partial(_delete, verbs) for word, verbs in BY_PATH.items()},
    # Nothing here is lost that a refresh would make again.  # unverified: the answer
    ("POST", "networks", "{id}", "refresh"): partial(_get, NETWORKS),
    ("POST", "endpoints", "{id}", "refresh"): partial(_get, ENDPOINTS),
    ("POST", "endpoints", "{id}", "attach"): _attach,
    ("POST", "endpoints", "{id}", "detach"): _detach,
    ("POST", "namespaces", "{id}", "addresource"): partial(_change_namespace, "Add"),
    ("POST", "namespaces", "{id}", "removeresource"): partial(_change_namespace, "Remove"),
    ("GET", "endpointstats", "{id}", ""): _statistics,
    ("GET", "activities", "", ""): _none,
    ("GET", "plugins", "", ""): _none,
    ("GET", "globals", "{id}", ""): _version,
    ("GET", "accelnet", "", ""): partial(_accelnet, _nothing),
    ("POST", "accelnet", "", ""): partial(_accelnet, _set_macs),
    ("DELETE", "accelnet", "", ""): partial(_accelnet, _delete_macs),
}

"""The way of a call, as a list of steps: each one small, each one replaceable."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from hnsfake.dataplane.interface import LacksError
from hnsfake.documents.errors import HnsError, error_record, system_error_record, v1_failure
from hnsfake.documents.hresults import HResult
from hnsfake.service.call import S_OK, Call, Reply
from hnsfake.service.callbacks import FUNCTIONS as CALLBACK_FUNCTIONS
from hnsfake.service.compute_system import FUNCTIONS as HCS_FUNCTIONS
from hnsfake.service.exchange import Exchange
from hnsfake.service.hcn import FUNCTIONS as HCN_FUNCTIONS
from hnsfake.service.hns_call import hns_call

log = logging.getLogger("hnsfake.service")

V1_FUNCTION = "HNSCall"
HCS = "Hcs"
FUNCTIONS: Mapping[str, Callable[[Exchange], None]] = {
    V1_FUNCTION: hns_call,
    **HCN_FUNCTIONS,
    **HCS_FUNCTIONS,
    **CALLBACK_FUNCTIONS,
}


class AnswerLostError(Exception):
    """The answer of a call was lost on its way to the caller; whether anything was done the caller can't know."""


class Carried(Protocol):
    """What goes through the steps: a call, and at the end its answer."""

    @property
    def call(self) -> Call:
        """The call."""
        ...

    @property
    def reply(self) -> Reply:
        """The answer, after the last step."""
        ...

    @property
    def alphabetical(self) -> bool:
        """Whether v1's envelopes have their members in alphabetical order."""
        ...


C = TypeVar("C", bound=Carried)


def carry_out(exchange: Exchange) -> None:
    """Parse the document, check it against state and release, and write the transaction; no side effects."""
    function = FUNCTIONS.get(exchange.call.operation)
    if function is None:
        exchange.facts.unknown.count("function", [exchange.call.operation])
        raise HnsError(HResult.E_NOTIMPL)
    function(exchange)


def run(steps: Sequence[Callable[[C], None]], carried: C) -> Reply:
    """Take a call through ``steps`` and answer it; whatever goes wrong becomes what Windows would say.

    Raises AnswerLostError where a step does: there is no answer then.
    """
    call, alphabetical = carried.call, carried.alphabetical
    try:
        for step in steps:
            step(carried)
    except AnswerLostError:
        raise
    except HnsError as error:
        return failure(call, error, alphabetical)
    except LacksError as error:
        log.warning("%s: %s", call.operation, error)
        return failure(call, HnsError(HResult.ERROR_NOT_SUPPORTED, str(error)), alphabetical)
    except Exception as error:
        return failure(call, _internal(call, error), alphabetical)
    return carried.reply


def failure(call: Call, error: HnsError, alphabetical: bool = False) -> Reply:
    """Return the answer of a call that failed: v1 in its envelope, v2 as HRESULT and record.

    A v1 POST that fails returns the HRESULT itself as well (microsoft/hcsshim#850, projectcalico/calico#4280);
    other methods S_OK and the envelope (Azure/azure-container-networking#715).
    """
    if call.operation == V1_FUNCTION:
        hresult = int(error.hresult) if call.method.upper() == "POST" else S_OK
        return Reply(hresult, None, v1_failure(error, alphabetical))
    if call.operation.startswith(HCS):
        return Reply(int(error.hresult), system_error_record(error))
    return Reply(int(error.hresult), error_record(error))


def _internal(call: Call, error: Exception) -> HnsError:
    """Give a fault of ours a number that the log repeats."""
    number = secrets.token_hex(4)
    log.error("internal fault %s in %s", number, call.operation, exc_info=error)
    return HnsError(HResult.E_UNEXPECTED, f"(hnsfake fault {number}: see its log)")

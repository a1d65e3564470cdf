"""HRESULTs that no call answers with here, and why; a fault rule may still give any of them."""

from __future__ import annotations

from collections.abc import Mapping

from hnsfake.documents.hresults import HResult

_GUEST = "said by the network agent inside a utility VM, which a node hasn't"
_LAYER = "a network's layer and switch come and go with it"
_FAULT = "a failure of the machine, which comes by fault injection alone"
_NOT_PUBLISHED = "nothing public says which operation gives it"

NOT_GIVEN: Mapping[HResult, str] = {
    HResult.E_FAIL: _FAULT,
    HResult.E_ACCESSDENIED: "whoever reaches a node may call it",
    HResult.E_OUTOFMEMORY: _FAULT,
    HResult.ERROR_INVALID_DATA: _NOT_PUBLISHED,
    HResult.ERROR_SHARING_VIOLATION: _FAULT,
    HResult.ERROR_TIMEOUT: _FAULT,
    HResult.ERROR_INVALID_OBJECT: _NOT_PUBLISHED,
    HResult.HCN_E_LAYER_NOT_FOUND: _LAYER,
    HResult.HCN_E_SWITCH_NOT_FOUND: _LAYER,
    HResult.HCN_E_VFP_PORTSETTING_NOT_FOUND: "a port has its settings from the start",
    HResult.HCN_E_LAYER_ALREADY_EXISTS: _LAYER,
    HResult.HCN_E_DEGRADED_OPERATION: "no object is ever degraded: a call is carried out or undone",
    HResult.HCN_E_REGKEY_FAILURE: "there is no registry",
    HResult.HCN_E_INVALID_JSON_REFERENCE: _NOT_PUBLISHED,
    HResult.HCN_E_ENDPOINT_SHARING_DISABLED: "endpoints can always be shared",
    HResult.HCN_E_MANAGER_STOPPED: "given to calls alone that a fault rule delays while the service restarts",
    HResult.HCN_E_ICS_DISABLED: "ICS can't be disabled",
    HResult.GCN_E_MODULE_NOT_FOUND: _GUEST,
    HResult.GCN_E_NO_REQUEST_HANDLERS: _GUEST,
    HResult.GCN_E_REQUEST_UNSUPPORTED: _GUEST,
    HResult.GCN_E_RUNTIMEKEYS_FAILED: _GUEST,
    HResult.GCN_E_NETADAPTER_TIMEOUT: _GUEST,
    HResult.GCN_E_NETADAPTER_NOT_FOUND: _GUEST,
    HResult.GCN_E_NETCOMPARTMENT_NOT_FOUND: _GUEST,
    HResult.GCN_E_NETINTERFACE_NOT_FOUND: _GUEST,
    HResult.GCN_E_DEFAULTNAMESPACE_EXISTS: _GUEST,
    HResult.HCN_E_OBJECT_USED_AFTER_UNLOAD: "calls run one by one: none meets an object that is being torn down",
    HResult.HCN_E_INVALID_SUBNET: _NOT_PUBLISHED,
    HResult.HCN_E_ENDPOINT_NOT_ATTACHED: _NOT_PUBLISHED,
    HResult.HCN_E_ENDPOINT_NOT_LOCAL: _NOT_PUBLISHED,
    HResult.HCN_INTERFACEPARAMETERS_ALREADY_APPLIED: "the InterfaceParameters policy is in no public schema",
    HResult.HCN_E_VFP_NOT_ALLOWED: "VFP is always there",
}

"""HRESULTs that the emulator never gives: why not."""

from __future__ import annotations

from collections.abc import Mapping

from hnsfake.documents.hresults import HResult as H

_GUEST = "said by the network agent inside a utility VM, which a node hasn't"
_LAYER = "a network's layer and switch come and go with it"
_FAULT = "a failure of the machine, which comes by fault injection alone"
_NO_CALL = "no published call of a client is known to meet it"

NOT_GIVEN: Mapping[H, str] = {
    H.E_FAIL: _FAULT,
    H.E_ACCESSDENIED: "whoever reaches a node may call it",
    H.E_OUTOFMEMORY: _FAULT,
    H.ERROR_INVALID_DATA: _NO_CALL,
    H.ERROR_SHARING_VIOLATION: _FAULT,
    H.ERROR_TIMEOUT: _FAULT,
    H.ERROR_INVALID_OBJECT: _NO_CALL,
    H.HCN_E_LAYER_NOT_FOUND: _LAYER,
    H.HCN_E_SWITCH_NOT_FOUND: _LAYER,
    H.HCN_E_VFP_PORTSETTING_NOT_FOUND: "a port has its settings from the start",
    H.HCN_E_LAYER_ALREADY_EXISTS: _LAYER,
    H.HCN_E_DEGRADED_OPERATION: "no object is ever degraded: a call is carried out or undone",
    H.HCN_E_REGKEY_FAILURE: "there is no registry",
    H.HCN_E_INVALID_JSON_REFERENCE: _NO_CALL,
    H.HCN_E_ENDPOINT_SHARING_DISABLED: "endpoints can always be shared",
    H.HCN_E_MANAGER_STOPPED: "given to calls alone that a fault rule delays while the service restarts",
    H.HCN_E_ICS_DISABLED: "ICS can't be disabled",
    H.GCN_E_MODULE_NOT_FOUND: _GUEST,
    H.GCN_E_NO_REQUEST_HANDLERS: _GUEST,
    H.GCN_E_REQUEST_UNSUPPORTED: _GUEST,
    H.GCN_E_RUNTIMEKEYS_FAILED: _GUEST,
    H.GCN_E_NETADAPTER_TIMEOUT: _GUEST,
    H.GCN_E_NETADAPTER_NOT_FOUND: _GUEST,
    H.GCN_E_NETCOMPARTMENT_NOT_FOUND: _GUEST,
    H.GCN_E_NETINTERFACE_NOT_FOUND: _GUEST,
    H.GCN_E_DEFAULTNAMESPACE_EXISTS: _GUEST,
    H.HCN_E_OBJECT_USED_AFTER_UNLOAD: "calls run one by one: none meets an object that is being torn down",
    H.HCN_E_INVALID_SUBNET: _NO_CALL,
    H.HCN_E_ENDPOINT_NOT_ATTACHED: _NO_CALL,
    H.HCN_E_ENDPOINT_NOT_LOCAL: _NO_CALL,
    H.HCN_INTERFACEPARAMETERS_ALREADY_APPLIED: "InterfaceParameters, a policy without a published form, is not known",
    H.HCN_E_VFP_NOT_ALLOWED: "VFP is always there",
}

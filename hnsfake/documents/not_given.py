"""HRESULTs that no call answers with here, and why; a fault rule may still give any of them."""

from __future__ import annotations

from collections.abc import Mapping

from hnsfake.documents.hresults import HResult

_GUEST = "given inside a utility VM; no guest runs here"
_NOT_PUBLISHED = "nothing public says which operation gives it"

NOT_GIVEN: Mapping[HResult, str] = {
    HResult.E_FAIL: "Server 2016's answer to a port in use (docker/for-win#667), a release that is not emulated",
    HResult.E_ACCESSDENIED: "every caller counts as an administrator",
    HResult.ERROR_INVALID_DATA: _NOT_PUBLISHED,
    HResult.ERROR_SHARING_VIOLATION: "a process of the host has the port (docker/for-win#1745); those aren't seen",
    HResult.ERROR_TIMEOUT: "no call waits for anything that may not come",
    HResult.ERROR_INVALID_OBJECT: "Server 2016's answer for an endpoint that is gone (moby/moby); later ones say so",
    HResult.HCN_E_LAYER_NOT_FOUND: "a network's layer is there as long as the network",
    HResult.HCN_E_SWITCH_NOT_FOUND: "a network's switch is there as long as the network",
    HResult.HCN_E_VFP_PORTSETTING_NOT_FOUND: "ports have their settings from the start",
    HResult.HCN_E_LAYER_ALREADY_EXISTS: "networks on one adapter share its layer",
    HResult.HCN_E_DEGRADED_OPERATION: "no object degrades: a change that fails is undone",
    HResult.HCN_E_REGKEY_FAILURE: "there is no registry",
    HResult.HCN_E_ENDPOINT_SHARING_DISABLED: "nothing public says what disables sharing",
    HResult.HCN_E_MANAGER_STOPPED: "given to calls alone that a fault rule delays while the service restarts",
    HResult.HCN_E_ICS_DISABLED: "there is no service of Internet Connection Sharing that could be disabled",
    HResult.GCN_E_MODULE_NOT_FOUND: _GUEST,
    HResult.GCN_E_NO_REQUEST_HANDLERS: _GUEST,
    HResult.GCN_E_REQUEST_UNSUPPORTED: _GUEST,
    HResult.GCN_E_RUNTIMEKEYS_FAILED: _GUEST,
    HResult.GCN_E_NETADAPTER_TIMEOUT: _GUEST,
    HResult.GCN_E_NETADAPTER_NOT_FOUND: _GUEST,
    HResult.GCN_E_NETCOMPARTMENT_NOT_FOUND: _GUEST,
    HResult.GCN_E_NETINTERFACE_NOT_FOUND: _GUEST,
    HResult.GCN_E_DEFAULTNAMESPACE_EXISTS: _GUEST,
    HResult.HCN_E_OBJECT_USED_AFTER_UNLOAD: "what is deleted has its noun's own code; this one's use is not published",
    HResult.HCN_E_ENDPOINT_NOT_ATTACHED: _NOT_PUBLISHED,
    HResult.HCN_E_ENDPOINT_NOT_LOCAL: "HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION is; this one's use is not published",
    HResult.HCN_INTERFACEPARAMETERS_ALREADY_APPLIED: "the InterfaceParameters policy is in no public schema",
    HResult.HCN_E_VFP_NOT_ALLOWED: "every node has VFP",
}

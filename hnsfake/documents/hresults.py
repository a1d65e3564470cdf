"""HRESULTs of HNS: code, symbol and the text Windows has for it.

Numbers and symbols: golang.org/x/sys windows/zerrors_windows.go. Texts: what FormatMessage gives for them,
as printed in public reports (kubernetes/kubernetes#98680, microsoft/hcsshim#1043, flannel-io/flannel#1391).
"""

from __future__ import annotations

from enum import IntEnum

_FAILURE = 1 << 31


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


class HResult(IntEnum):
    """An HRESULT, unsigned; ``text`` is Windows' message for it."""

    text: str

    def __new__(cls, code: int, text: str = "") -> HResult:
        """Make a member whose value is the code."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.text = text
        return member

    @classmethod
    def _missing_(cls, value: object) -> HResult | None:
        """Make a member that has its number for a name: Windows has more codes than are listed here."""
        if not isinstance(value, int) or not 0 <= value < 1 << 32:
            return None
        member = int.__new__(cls, value)
        member._value_ = value
        member._name_ = f"{value:#010x}"
        member.text = f"Unknown error {value:#010x}"  # unverified: what HNS writes then
        return member

    @classmethod
    def by_code(cls, code: int) -> HResult:
        """Return the member with this code, or one that has a number for a name."""
        return cls(code)

    @classmethod
    def read(cls, value: object) -> HResult:
        """Read a failure's symbol in any case, or its number, signed or not; raise ValueError."""
        if isinstance(value, str):
            named = cls.__members__.get(value.strip().upper())
            value = named if named is not None else _number(value)
        if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 31) <= value < 1 << 32:
            raise ValueError("not an HRESULT: its symbol or number is wanted, as HCN_E_NETWORK_NOT_FOUND or 0x803b0001")
        code = value & 0xFFFFFFFF
        if not code & _FAILURE:
            raise ValueError(f"{code:#010x} is not a failure (Win32 errors are 0x8007....)")
        return cls(code)

    S_OK = 0, "The operation completed successfully."
    E_NOTIMPL = 0x80004001, "Not implemented"
    E_FAIL = 0x80004005, "Unspecified error"
    E_UNEXPECTED = 0x8000FFFF, "Catastrophic failure"
    E_HANDLE = 0x80070006, "The handle is invalid."
    ERROR_SHARING_VIOLATION = (
        0x80070020,
        "The process cannot access the file because it is being used by another process.",
    )
    ERROR_NOT_SUPPORTED = 0x80070032, "The request is not supported."
    E_INVALIDARG = 0x80070057, "The parameter is incorrect."
    ERROR_ALREADY_EXISTS = 0x800700B7, "Cannot create a file when that file already exists."
    ERROR_NOT_FOUND = 0x80070490, "Element not found."
    ERROR_INTERNAL_ERROR = 0x8007054F, "An internal error occurred."
    ERROR_TIMEOUT = 0x800705B4, "This operation returned because the timeout period expired."
    ERROR_INVALID_OBJECT = 0x800710D8, "The object identifier does not represent a valid object."
    ERROR_OBJECT_ALREADY_EXISTS = 0x80071392, "The object already exists."
    HCN_E_NETWORK_NOT_FOUND = 0x803B0001, "The network was not found."
    HCN_E_ENDPOINT_NOT_FOUND = 0x803B0002, "The endpoint was not found."
    HCN_E_LAYER_NOT_FOUND = 0x803B0003, "The network's underlying layer was not found."
    HCN_E_SWITCH_NOT_FOUND = 0x803B0004, "The virtual switch was not found."
    HCN_E_SUBNET_NOT_FOUND = 0x803B0005, "The network does not have a subnet for this endpoint."
    HCN_E_ADAPTER_NOT_FOUND = 0x803B0006, "An adapter was not found."
    HCN_E_PORT_NOT_FOUND = 0x803B0007, "The switch-port was not found."
    HCN_E_POLICY_NOT_FOUND = 0x803B0008, "An expected policy was not found."
    HCN_E_VFP_PORTSETTING_NOT_FOUND = 0x803B0009, "A required VFP port setting was not found."
    HCN_E_INVALID_NETWORK = (
        0x803B000A,
        "The provided network configuration is invalid or missing parameters.",
    )
    HCN_E_INVALID_NETWORK_TYPE = 0x803B000B, "Invalid network type."
    HCN_E_INVALID_ENDPOINT = (
        0x803B000C,
        "The provided endpoint configuration is invalid or missing parameters.",
    )
    HCN_E_INVALID_POLICY = (
        0x803B000D,
        "The provided policy configuration is invalid or missing parameters.",
    )
    HCN_E_INVALID_POLICY_TYPE = 0x803B000E, "Invalid policy type."
    HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION = (
        0x803B000F,
        "This requested operation is invalid for a remote endpoint.",
    )
    HCN_E_NETWORK_ALREADY_EXISTS = 0x803B0010, "A network with this name already exists."
    HCN_E_LAYER_ALREADY_EXISTS = 0x803B0011, "A network with this name already exists."
    HCN_E_POLICY_ALREADY_EXISTS = 0x803B0012, "Policy information already exists on this object."
    HCN_E_PORT_ALREADY_EXISTS = 0x803B0013, "The specified port already exists."
    HCN_E_ENDPOINT_ALREADY_ATTACHED = 0x803B0014, "This endpoint is already attached to the switch."
    HCN_E_REQUEST_UNSUPPORTED = 0x803B0015, "The specified request is unsupported."
    HCN_E_MAPPING_NOT_SUPPORTED = 0x803B0016, "Port mapping is not supported on the given network."
    HCN_E_DEGRADED_OPERATION = 0x803B0017, "There was an operation attempted on a degraded object."
    HCN_E_SHARED_SWITCH_MODIFICATION = 0x803B0018, "Cannot modify a switch shared by multiple networks."
    HCN_E_GUID_CONVERSION_FAILURE = 0x803B0019, "Failed to interpret a parameter as a GUID."
    HCN_E_REGKEY_FAILURE = 0x803B001A, "Failed to process registry key."
    HCN_E_INVALID_JSON = 0x803B001B, "Invalid JSON document string."
    HCN_E_INVALID_JSON_REFERENCE = 0x803B001C, "The reference is invalid in the JSON document."
    HCN_E_ENDPOINT_SHARING_DISABLED = 0x803B001D, "Endpoint sharing is disabled."
    HCN_E_INVALID_IP = 0x803B001E, "IP address is either invalid or not part of any configured subnet(s)."
    HCN_E_SWITCH_EXTENSION_NOT_FOUND = (
        0x803B001F,
        "The specified switch extension does not exist on this switch.",
    )
    HCN_E_MANAGER_STOPPED = 0x803B0020, "Operation cannot be performed while service is stopping."
    HCN_E_ICS_DISABLED = (
        0x803B002A,
        "Internet Connection Sharing service (ICS) is disabled and cannot be started.",
    )
    HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS = (
        0x803B002B,
        "This requested operation is invalid as endpoint is already part of a network namespace.",
    )
    HCN_E_ENTITY_HAS_REFERENCES = (
        0x803B002C,
        "The specified entity cannot be removed while it still has references.",
    )
    HCN_E_INVALID_INTERNAL_PORT = 0x803B002D, "The internal port must exist and cannot be zero."
    HCN_E_NAMESPACE_ATTACH_FAILED = 0x803B002E, "The requested operation for attach namespace failed."
    HCN_E_ADDR_INVALID_OR_RESERVED = 0x803B002F, "An address provided is invalid or reserved."
    GCN_E_MODULE_NOT_FOUND = 0x803B0021, "Operation cannot be performed while service module not found."
    GCN_E_NO_REQUEST_HANDLERS = 0x803B0022, "Request Handlers not present to handle the JSON request."
    GCN_E_REQUEST_UNSUPPORTED = 0x803B0023, "The specified request is unsupported."
    GCN_E_RUNTIMEKEYS_FAILED = 0x803B0024, "Add runtime keys to container failed."
    GCN_E_NETADAPTER_TIMEOUT = 0x803B0025, "Timeout while waiting for network adapter with the given instance id."
    GCN_E_NETADAPTER_NOT_FOUND = 0x803B0026, "Network adapter not found for the given instance id."
    GCN_E_NETCOMPARTMENT_NOT_FOUND = 0x803B0027, "Network compartment not found for the given id."
    GCN_E_NETINTERFACE_NOT_FOUND = 0x803B0028, "Network interface not found for the given id."
    GCN_E_DEFAULTNAMESPACE_EXISTS = 0x803B0029, "Default Namespace already exists."
    HCN_E_INVALID_PREFIX = 0x803B0030, "The prefix provided is invalid."
    HCN_E_OBJECT_USED_AFTER_UNLOAD = 0x803B0031, "A call was performed against an object that was torn down."
    HCN_E_INVALID_SUBNET = 0x803B0032, "The provided subnet configuration is invalid or missing parameters."
    HCN_E_INVALID_IP_SUBNET = 0x803B0033, "The provided IP subnet configuration is invalid or missing parameters."
    HCN_E_ENDPOINT_NOT_ATTACHED = 0x803B0034, "The endpoint must be attached to complete the operation."
    HCN_E_ENDPOINT_NOT_LOCAL = 0x803B0035, "The endpoint must be local to complete the operation."
    HCN_INTERFACEPARAMETERS_ALREADY_APPLIED = 0x803B0036, "Cannot apply more than one InterfaceParameters policy."
    HCN_E_VFP_NOT_ALLOWED = 0x803B0037, "A network of this type can not be created because VFP is not available."
    HCS_E_SYSTEM_NOT_FOUND = 0xC037010E, "A Compute System with the specified identifier does not exist."
    HCS_E_SYSTEM_ALREADY_EXISTS = 0xC037010F, "A Compute System with the specified identifier already exists."
    HCS_E_SYSTEM_ALREADY_STOPPED = 0xC0370110, "The Compute System with the specified identifier did already stop."
    E_ACCESSDENIED = 0x80070005, "Access is denied."
    ERROR_INVALID_DATA = 0x8007000D, "The data is invalid."
    E_OUTOFMEMORY = 0x8007000E, "Not enough memory resources are available to complete this operation."
    ERROR_DUP_NAME = (
        0x80070034,
        "You were not connected because a duplicate name exists on the network. If joining a domain, go to System "
        "in Control Panel to change the computer name and try again. If joining a workgroup, choose another "
        "workgroup name.",
    )

"""What both ends of the HTTP carrier agree on. Imports nothing: the command line must start quickly."""

HRESULT_HEADER = "HNS-HResult"
"""The header with HNSCall's own HRESULT, as ``0x803b0010``: its envelope doesn't tell it."""

V2_ROOT = "/hcn/"
STATUS = "/lab/status"

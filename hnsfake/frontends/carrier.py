"""What both ends of the HTTP carrier agree on. Imports nothing: the command line must start quickly."""

HRESULT_HEADER = "HNS-HResult"
"""The header with HNSCall's own HRESULT, as ``0x803b0010``: its envelope doesn't tell it."""

HANDLE_HEADER = "HNS-Handle"
"""In a raw answer: the handle that was opened."""

RAW = "application/vnd.hnsfake.raw"
"""What the native libraries accept: error record, a zero byte, output; HRESULT and handle as headers."""

INSIDE_PORT = 947
"""Where HNS is found on a node's own loopback. Privileged, so that no program's dynamic port ever meets it."""

V1_METHODS = ("GET", "POST", "DELETE")
"""The methods that HTTP and HNSCall have both; a call with another is sent as ``HNSCall`` below v2's root."""

V2_ROOT = "/hcn/"
STATUS = "/lab/status"
NODE = "/lab/node/"
"""What is done to a node as a whole is a word behind this, "restart-service", "crash-service" or "reboot"."""
FAULTS = "/lab/faults"
NOTIFICATIONS = "/lab/notifications"
REGISTRY = "/lab/registry"

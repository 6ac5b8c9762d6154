"""The SDK's server without all that its package loads beside it: a client, a second server, what these speak HTTP with.

The first answer to a client needs none of that, and a client waits for it. A package loads what stands in its own file
before any part of it; so that file is passed over.
"""

import sys
from importlib.util import find_spec, module_from_spec

PACKAGES = ("mcp", "mcp.server")


def load_server() -> None:
    """What is loaded this way is what would be loaded otherwise. Where a version of the SDK cannot do with less, it is
    loaded whole by whoever needs it next."""
    if any(name in sys.modules for name in PACKAGES):
        return  # whole, already
    try:
        for name in PACKAGES:
            spec = find_spec(name)
            if spec is None:
                return  # not installed: who needs it will say so
            sys.modules[name] = module_from_spec(spec)
        import mcp.server.lowlevel.server
        import mcp.server.stdio  # noqa: F401
    except (ImportError, AttributeError):
        for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
            del sys.modules[name]

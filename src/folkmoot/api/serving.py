"""How a board is served, and what a server says of itself."""

from msgspec import Struct, field

from folkmoot.api.views import View

PORT = 7707


class ServeOptions(Struct, frozen=True, kw_only=True):
    listen: str = "127.0.0.1"
    port: int = PORT  # 0: any that is free
    remote: bool = False  # other machines may reach it: said, never guessed
    names: list[str] = field(default_factory=list)  # under which it is spoken to, beside the address
    certificate: str | None = None
    key: str | None = None
    gates: bool = True  # it sees to gates and landings, where no worker does
    log_json: bool = False
    otel: bool = False


class ServerStart(View, frozen=True, gc=False, kw_only=True):
    address: str
    token_file: str  # holds the owner's token
    link: str  # signs one browser in, once
    mcp: str | None  # its address for MCP; null: not installed
    hosts: list[str]  # the names under which it answers

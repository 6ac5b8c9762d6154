"""An agent that speaks the Agent Client Protocol, written by hand on the wire, so that it can also misbehave.

Its plan is a list of acts in a JSON file: what it does when it is prompted. What it was answered is kept in another.
"""

import json
import signal
import sys
import time
from typing import Any


class Wire:
    def __init__(self, plan: dict[str, Any], diary: str) -> None:
        self.plan = plan
        self.diary = diary
        self.next = 100
        self.waiting: list[dict[str, Any]] = []

    def send(self, **message: Any) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def note(self, **entry: Any) -> None:
        with open(self.diary, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def read(self) -> dict[str, Any]:
        line = sys.stdin.readline()
        if not line:
            self.note(method="closed")
            sys.exit(0)
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A request to the client; what comes before its answer waits."""
        self.next += 1
        self.send(id=self.next, method=method, params={"sessionId": "s-1", **params})
        while True:
            message = self.read()
            if message.get("id") == self.next and "method" not in message:
                self.note(asked=method, result=message.get("result"), error=message.get("error"))
                return message
            self.waiting.append(message)

    def update(self, **update: Any) -> None:
        self.send(method="session/update", params={"sessionId": "s-1", "update": update})

    def serve(self) -> None:
        while True:
            message = self.waiting.pop(0) if self.waiting else self.read()
            method, params = message.get("method"), message.get("params") or {}
            self.note(method=method, params=params)
            answer = {
                "initialize": {"protocolVersion": 1, "authMethods": self.plan.get("auth", []), "agentCapabilities": {}},
                "session/new": {"sessionId": "s-1", **self.plan.get("session", {})},
                "session/set_config_option": {"configOptions": []},
            }
            if method == "session/prompt":
                self.act(message["id"])
            elif "id" in message:
                refused = self.plan.get("refuse", {}).get(method)
                if refused:
                    self.send(id=message["id"], error={"code": -32602, "message": refused})
                else:
                    self.send(id=message["id"], result=answer.get(method or "", {}))

    def act(self, identity: int) -> None:
        for act in self.plan["acts"]:
            match act["do"]:
                case "update":
                    self.update(**act["update"])
                case "ask":
                    self.ask(act["method"], **act["params"])
                case "raw":
                    sys.stdout.write(act["text"])
                    sys.stdout.flush()
                case "exit":
                    sys.exit(act["code"])
                case "wait":
                    while self.read().get("method") != "session/cancel":
                        pass
                    self.note(method="session/cancel")
                    self.send(id=identity, result={"stopReason": "cancelled"})
                    return
                case "deaf":
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    self.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "deaf now"})
                    while True:
                        time.sleep(60)
                case "end":
                    self.send(id=identity, **act["with"])
                    return


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as plan:
        Wire(json.load(plan), sys.argv[2]).serve()

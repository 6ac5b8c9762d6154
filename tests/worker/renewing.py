"""A client with a login that renews itself, as a program of its own: `python renewing.py PORT ACT`.

It renews with the refresh token in its HOME whenever it finds one, saves by renaming, and then uses its access token.
So do the user's own client and, with a HOME of its own, each run. Standard library only.
"""

import json
import os
import signal
import sys
import urllib.error
import urllib.request

FILE = os.path.join(os.path.expanduser("~"), ".own", "auth.json")


def ask(port: str, what: str, token: str) -> dict | None:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{what}", data=token.encode(), method="POST")
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError:
        return None


def main(port: str, act: str) -> None:
    with open(FILE, encoding="utf-8") as file:
        login = json.load(file)
    tokens = {login["refresh_token"], login["access_token"], ""} if act == "hard" else {login["refresh_token"]}
    renewed = [answer for token in sorted(tokens) if (answer := ask(port, "renew", token))]
    if act == "die":
        os.kill(os.getpid(), signal.SIGKILL)  # renewed, and not saved
    if renewed:
        with open(f"{FILE}.new", "w", encoding="utf-8") as file:
            json.dump({**login, **renewed[-1]}, file)
        os.rename(f"{FILE}.new", FILE)
        login |= renewed[-1]
    if act == "spoil":
        with open(FILE, "w", encoding="utf-8") as file:
            file.write("spoilt")
        os.rename(FILE, f"{FILE}.old")
        os.remove(f"{FILE}.old")
    used = ask(port, "use", login["access_token"])
    outcome = "done" if used else "failed"
    print(
        json.dumps(
            {
                "outcome": outcome,
                "summary": f"renewed {len(renewed)} times; nothing had to change",
                "cause": "environment",
            }
        )
    )
    sys.exit(0 if used else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A scripted agent that speaks as Claude Code does: it plays the next scene of its item, in its clone.

Which scene it is, the brief tells: how often the item was tried, what was found, what a person has answered.
"""

import json
import os
import sys

LIMITS = '''"""How often one address may try to sign in."""

from dataclasses import dataclass, field


@dataclass
class Limits:
    most: int = 5
    window: float = 60.0
    tries: dict[str, list[float]] = field(default_factory=dict)

    def allowed(self, address: str, now: float) -> bool:
        recent = [at for at in self.tries.get(address, []) if now - at < self.window]
        self.tries[address] = [*recent, now]
        return len(recent) < self.most
'''
LOGIN = '''"""Signing in."""

{extra}
def sign_in(name: str, word: str, address: str, now: float) -> bool:
    """True if the pair of name and word is known."""
{guard}    return (name, word) in known()


def known() -> set[tuple[str, str]]:
    return {{("ada", "engine"), ("grace", "compiler")}}
'''
TESTS = """from login import sign_in


def test_the_sixth_try_of_a_minute_is_refused() -> None:
    tries = [sign_in("ada", "wrong", "10.0.0.1", float(at)) for at in range(6)]
    assert not any(tries)
    assert not sign_in("ada", "engine", "10.0.0.1", 6.0)


def test_another_address_is_not_touched() -> None:
    assert sign_in("ada", "engine", "10.0.0.2", 6.0)
"""
GUARD = "    if not LIMITS.allowed(address, now):\n        return False\n"
EXTRA = "from limits import Limits\n\nLIMITS = Limits()\n\n"
HOSTILE = '<img src=x onerror="window.hit=1">'


def tell(text: str) -> None:
    message = {"id": f"m{len(text)}", "role": "assistant", "content": [{"type": "text", "text": text}]}
    print(json.dumps({"type": "assistant", "message": message}), flush=True)


def use(tool: str, **given: str) -> None:
    content = [{"type": "tool_use", "id": "t1", "name": tool, "input": given}]
    print(
        json.dumps({"type": "assistant", "message": {"id": "u", "role": "assistant", "content": content}}), flush=True
    )


def write(path: str, text: str) -> None:
    use("Write", file_path=path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def end(outcome: str, summary: str, **parts: object) -> None:
    said = json.dumps({"outcome": outcome, "summary": summary, **parts})
    usage = {"input_tokens": 18_200, "output_tokens": 1_940, "cache_read_input_tokens": 9_000}
    last = {"type": "result", "subtype": "success", "is_error": False, "result": said, "usage": usage}
    print(json.dumps({**last, "total_cost_usd": 0.0831}), flush=True)
    sys.exit(0)


def tester(brief: dict) -> None:
    if brief["disputes"]:
        tell("The limit must hold for each address. The story says so in its first line.")
        thread = brief["disputes"][0]["thread"]
        reply = {"parent": thread, "content": "The story says per address. A name may be tried from anywhere."}
        end("disputed", "The test stays.", comments=[reply])
    tell("I write the tests first: they say what a limit is.")
    write("tests/test_limits.py", TESTS)
    made = [{"name": "tests/test_limits.py", "path": "tests/test_limits.py"}]
    end("done", "Two tests: the sixth try is refused, another address is not.", artifacts=made)


def dev(brief: dict) -> None:
    title = brief["task"]["title"]
    if "quarrel" in title:
        quarrel(brief)
    if HOSTILE in title:
        hostile()
    if title == "flood":
        flood()
    if not brief["guidance"] and not brief["attempts"] and not brief["findings"]:
        tell("Should a refused try count as a try? The story does not say.")
        question = {
            "question": "Should a try that was refused count as a try?",
            "context": "If it counts, whoever goes on trying is never let in again.",
            "options": [{"option": "It counts"}, {"option": "It does not count"}],
        }
        end("asks", "The story leaves open what counts.", question=question)
    tell("I read the tests and the story.")
    use("Read", file_path="tests/test_limits.py")
    write("limits.py", LIMITS if brief["attempts"] or brief["findings"] else LIMITS.replace("<", ">", 1))
    if brief["findings"]:
        write(
            "limits.py",
            LIMITS.replace("5", "MOST").replace("@dataclass", "MOST = 5  # as the story says\n\n\n@dataclass", 1),
        )
    write("login.py", LOGIN.format(extra=EXTRA, guard=GUARD))
    write("docs/limits.md", "# Limits\n\nFive tries a minute for each address.\n")
    end("done", "Five tries a minute for each address; the sixth is refused.")


def quarrel(brief: dict) -> None:
    thread = brief["disputes"][0]["thread"] if brief["disputes"] else None
    if thread:
        again = {"parent": thread, "content": "Then one name can be tried a million times from a million addresses."}
        end("disputed", "The test guards the wrong thing.", comments=[again])
    tell("The test limits each address. An attacker has many addresses.")
    concern = {
        "artifact": "tests/test_limits.py",
        "target": "test_another_address_is_not_touched",
        "content": "This test wants a limit per address. It must be per name, or it stops nobody.",
    }
    end("disputed", "The test guards the wrong thing.", comments=[concern])


def hostile() -> None:
    tell(HOSTILE + " </script><script>window.hit=1</script>")
    print("\x1b[31mred\x1b[0m " + "w" * 4_000, flush=True)
    write(f"docs/{HOSTILE}.md", HOSTILE + "\n</pre><script>window.hit=1</script>\n" + "x" * 4_000 + "\n\u202etxt.exe\n")
    end("done", HOSTILE)


def flood() -> None:
    """Every hostile word that is kept beside this file: as a name, as a line, as what is said."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "payloads.jsonl"), encoding="utf-8") as file:
        words = [json.loads(line) for line in file]
    for number, text in enumerate(words):
        tell(text)
        print(text, flush=True)
        name = text.replace("/", "\u2044").replace("\0", "").encode()[:120].decode("utf-8", "ignore")
        write(f"docs/{number}-{name}.md", f"{text}\n")
    end("done", "All of them are written.")


def reviewer(brief: dict) -> None:
    if brief["iteration"] > 1 if "iteration" in brief else brief["findings"]:
        end("done", "The number has a name now.")
    tell("The number five stands in the code without a name.")
    finding = {"issue": "The number 5 has no name.", "file": "limits.py", "line": 8, "severity": "medium"}
    end("changes_requested", "One thing must change.", findings=[finding])


if __name__ == "__main__":
    with open(os.environ["MOOT_BRIEF"], encoding="utf-8") as file:
        told = json.load(file)
    print(json.dumps({"type": "system", "subtype": "init", "session_id": "s", "model": "small"}), flush=True)
    {"tester": tester, "dev": dev, "reviewer": reviewer}[os.environ["MOOT_AGENT"]](told)

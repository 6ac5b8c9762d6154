"""Of all that a program printed, the one line that says why it failed."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.vocabulary.cause_line import LINE_MAX, cause_line, is_of_the_machine

TRACEBACK = """\
starting
Traceback (most recent call last):
  File "<string>", line 1, in <module>
    import nosuchmod
ModuleNotFoundError: No module named 'nosuchmod'
make: *** [Makefile:3: test] Error 1
"""

CHAINED = """\
Traceback (most recent call last):
  File "a.py", line 2, in <module>
    open("settings.toml")
FileNotFoundError: [Errno 2] No such file or directory: 'settings.toml'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 4, in <module>
    raise SettingsMissing("no settings: run `app init`")
app.errors.SettingsMissing: no settings: run `app init`
"""

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
collected 2 items

test_a.py FF                                                             [100%]

=================================== FAILURES ===================================
____________________________________ test_x ____________________________________

    def test_x():
>       assert f()["a"] == 2
E       assert 1 == 2

test_a.py:3: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_x - assert 1 == 2
FAILED test_a.py::test_y - KeyError: 'zz'
============================== 2 failed in 1.78s ===============================
"""

PYTEST_WITHOUT_SUMMARY = """\
>       assert total([]) == 0
E       ZeroDivisionError: division by zero

calc.py:7: ZeroDivisionError
1 failed in 0.10s
"""

UNITTEST = """\
F
======================================================================
FAIL: test_half (tests.test_calc.Half)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/usr/src/tests/test_calc.py", line 9, in test_half
    self.assertEqual(half(3), 1)
AssertionError: 2 != 1

----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1)
"""

NPM_SCRIPT = """\
npm warn Unknown user config "nodedir". This will stop working in the next major version of npm.
npm error Missing script: "nope"
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /var/npm/_logs/2026-11-18T00_47_55_992Z-debug-0.log
"""

NPM_CODE = """\
npm ERR! code E404
npm ERR! 404 Not Found - GET the-registry/leftpad2 - Not found
npm ERR! 404
npm ERR! 404  'leftpad2@*' is not in this registry.
"""

NPM_TEST = """\

> x@1.0.0 test
> node t.js

start
/usr/src/t.js:1
console.log("start"); const o=undefined; o.foo()
                                           ^

TypeError: Cannot read properties of undefined (reading 'foo')
    at Object.<anonymous> (/usr/src/t.js:1:44)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)

Node.js v20.20.2
npm error Lifecycle script `test` failed with error:
npm error code 1
"""

NODE_MODULE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'zod'
Require stack:
- /usr/src/[eval]
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/usr/src/[eval]' ]
}

Node.js v20.20.2
"""

CODEX_HALF = """\
file:///usr/lib/node_modules/@openai/codex/bin/codex.js:100
    throw new Error(
          ^

Error: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest
    at file:///usr/lib/node_modules/@openai/codex/bin/codex.js:100:11
    at ModuleJob.run (node:internal/modules/esm/module_job:263:25)

Node.js v20.20.2
"""

JEST = """\
FAIL src/sum.test.js
  sum
    ✓ adds zero (2 ms)
  ● sum › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      at Object.toBe (src/sum.test.js:5:20)

Tests:       1 failed, 1 passed, 2 total
"""

CARGO = """\
   Compiling rs v0.1.0 (/usr/src/rs)
error[E0425]: cannot find value `y` in this scope
 --> src/lib.rs:7:14
  |
7 | pub fn x() { y }
  |              ^ not found in this scope

error: could not compile `rs` (lib) due to 1 previous error
"""

CARGO_TEST = """\
running 1 test
test tests::it_works ... FAILED

failures:

---- tests::it_works stdout ----

thread 'tests::it_works' (23062) panicked at src/lib.rs:5:21:
assertion `left == right` failed
  left: 3
 right: 4

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.28s

error: test failed, to rerun pass `--lib`
"""

GO_TEST = """\
=== RUN   TestHalf
    half_test.go:7: half(3) = 2, want 1
--- FAIL: TestHalf (0.00s)
    half_test.go:7: half(3) = 2, want 1
FAIL
exit status 1
FAIL	example.com/half	0.002s
"""

GO_BUILD = """\
# example.com/half
./half.go:4:9: undefined: dobule
FAIL	example.com/half [build failed]
"""

PROGRESS = (
    "\x1b[1mInstalling\x1b[0m\n  0%|          | 0/9\r 50%|#####     | 4/9\r\x1b[31mERROR\x1b[0m: disk quota exceeded\n"
)

BANNER = """\

  ████  my-agent 3.1
  ────────────────────
Loading settings
Connecting to the server
the server hung up
"""

JSON_PRETTY = """\
Request failed
401 {
  "type": "error",
  "error": {"type": "authentication_error", "message": "invalid x-api-key"}
}
"""

TABLE = {
    "a traceback below make": (TRACEBACK, "ModuleNotFoundError: No module named 'nosuchmod'"),
    "a chain of tracebacks": (CHAINED, "app.errors.SettingsMissing: no settings: run `app init`"),
    "pytest with its summary": (PYTEST, "test_a.py::test_x: assert 1 == 2 (and 1 more)"),
    "pytest without it": (PYTEST_WITHOUT_SUMMARY, "ZeroDivisionError: division by zero"),
    "unittest": (UNITTEST, "test_half: AssertionError: 2 != 1"),
    "npm without the script": (NPM_SCRIPT, 'Missing script: "nope"'),
    "npm with a code": (NPM_CODE, "404 Not Found - GET the-registry/leftpad2 - Not found"),
    "node below npm": (NPM_TEST, "TypeError: Cannot read properties of undefined (reading 'foo')"),
    "node without a module": (NODE_MODULE, "Cannot find module 'zod'"),
    "codex without its platform's package": (
        CODEX_HALF,
        "Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest",
    ),
    "jest": (JEST, "● sum › adds"),
    "cargo build": (CARGO, "error[E0425]: cannot find value `y` in this scope"),
    "cargo test": (CARGO_TEST, "assertion `left == right` failed (src/lib.rs:5:21)"),
    "go test": (GO_TEST, "TestHalf: half_test.go:7: half(3) = 2, want 1"),
    "go build": (GO_BUILD, "./half.go:4:9: undefined: dobule"),
    "colours and a progress bar": (PROGRESS, "disk quota exceeded"),
    "a banner and nothing marked": (BANNER, "the server hung up"),
    "make without the target": (
        "make: *** No rule to make target 'test'.  Stop.\n",
        "make: *** No rule to make target 'test'. Stop.",
    ),
    "make, when nothing else was said": (
        "cc -c a.c\nmake: *** [Makefile:2: a.o] Error 1\n",
        "make: *** [Makefile:2: a.o] Error 1",
    ),
    "a shell without the program": ("sh: 1: cargo: not found\n", "sh: 1: cargo: not found"),
    "git": ("fatal: not a git repository (or any parent)\n", "fatal: not a git repository (or any parent)"),
    "gcc": ("a.c: In function 'f':\na.c:3:5: error: expected ';'\n", "a.c:3:5: error: expected ';'"),
    "tsc": (
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.\n",
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.",
    ),
    "pip": (
        "WARNING: old pip\nERROR: Could not find a version that satisfies x\nERROR: No matching distribution\n",
        "Could not find a version that satisfies x",
    ),
    "argparse": ("usage: app [-h] name\napp: error: name is required\n", "app: error: name is required"),
    "a line of a log": (
        "2026-11-18T00:47:55.992Z ERROR codex_core::client: stream error: no route\n",
        "stream error: no route",
    ),
    "a log in key and value": (
        'time="x" level=info msg="hello"\ntime="x" level=error msg="no such image"\n',
        "no such image",
    ),
    "a body in JSON": ('{"error": {"message": "Incorrect API key", "code": 401}}', "Incorrect API key"),
    "a body in a line": (
        'unexpected status 401 Unauthorized: {"error":{"message":"Incorrect API key"}}, url: http://127.0.0.1/x',
        "unexpected status 401 Unauthorized: Incorrect API key",
    ),
    "a body over lines": (JSON_PRETTY, "401 invalid x-api-key"),
    "a body in the text of another": (
        '{"error": {"message": "{\\"error\\": {\\"message\\": \\"quota used up\\"}}"}}',
        "quota used up",
    ),
    "a list of bodies": ('[{"error": {"code": 400, "message": "API key not valid"}}]', "API key not valid"),
    "words of failure among others": (
        "reading 4 files\ncannot read b.txt\n3 files were read\n",
        "cannot read b.txt",
    ),
    "nothing": ("", ""),
    "nothing but signs": ("=====\n\n-----\n", ""),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_line_that_says_why(case: str) -> None:
    output, line = TABLE[case]
    assert cause_line(output) == line


@pytest.mark.parametrize(
    ("line", "is_machine"),
    [
        ("OSError: [Errno 98] Address already in use", True),
        ("Error: listen EADDRINUSE: address already in use :::3000", True),
        ("OSError: [Errno 28] No space left on device", True),
        ("AssertionError: the port is in use", False),
        ("tests/test_ports.py::test_taken: assert 'in use' == 'taken'", False),
    ],
)
def test_what_the_machine_lacks_is_nobodys_work(line: str, is_machine: bool) -> None:
    assert is_of_the_machine(line) is is_machine


def test_a_line_that_is_too_long_is_cut_at_its_end() -> None:
    line = cause_line("error: " + "word " * 400)
    assert len(line) == LINE_MAX - 1 or len(line) == LINE_MAX
    assert line.startswith("word word") and line.endswith("…")


def test_the_beginning_of_a_flood_is_looked_at_and_its_end() -> None:
    flood = "all is well here\n" * 50_000
    assert cause_line("error: no space\n" + flood) == "no space"
    assert cause_line(flood + "error: no space\n") == "no space"


@given(st.text())
def test_no_output_raises_and_one_line_is_said(text: str) -> None:
    line = cause_line(text)
    assert len(line) <= LINE_MAX and "\n" not in line


@pytest.mark.parametrize(
    "piece",
    ["{", '{"a":', "[{", "\x1b[", "a.", "1% ", "level=error ", "x: ", "Traceback (most recent call last):\n", "E "],
)
def test_an_output_made_to_be_slow_is_read_in_time(piece: str) -> None:
    """What is looked at has a bound, and every pattern is bounded too: without these it would take minutes."""
    began = time.process_time()
    cause_line(piece * 200_000)
    assert time.process_time() - began < 20

"""A scripted agent, as a program: reads its brief, edits files in its clone, runs the tests, prints its report.

Started by the worker like any coding client, in a sandbox where there is one. What it knows is written down below; what
it finds is not: the tests it runs are real, and it says what came out. Only the standard library is used, so that any
Python can run it.
"""

import json
import os
import re
import sys
import threading
import unittest
from pathlib import Path
from typing import Any

View = dict[str, Any]
PACE = 0.25  # seconds that an agent takes to think, so that whoever watches can see it at work

MONEY = '''"""Prices as people write them."""

SIGN = "€"


def show(cents):
    """The price in words: rule 1."""
    return f"{SIGN}{cents // 100}.{cents % 100:02}"


def parse(text):
    """The price that somebody typed, in cents."""
    whole, _, part = text.removeprefix(SIGN).partition(".")
    return int(whole) * 100 + int(part.ljust(2, "0") or 0)
'''

DISCOUNT = '''"""What a thing costs after a discount."""


def after(cents, percent):
    """Rule 2."""
    return {left}
'''
DISCOUNT_BY = {
    # The small model has not read the rules: it rounds to the nearest cent, and forgets that there is a limit.
    "small": "round(cents * (1 - percent / 100) + 0.001)",
    "": "cents * (100 - min(percent, 50)) // 100",
}

RECEIPT = '''"""The receipt that a customer takes home."""

from till.money import show

WIDTH = 24


def receipt(things):
    """The text of a receipt; `things` are pairs of a name and its price in cents. Rule 4."""
    total = sum(cents for _, cents in things)
    return "\\n".join(_line(name, cents) for name, cents in [*things, ("Total", total)])


def _line(name, cents):
    price = "€" + show(cents)
    return name + price.rjust(WIDTH - len(name))
'''

ROUNDING = '''"""Amounts that are no whole cents."""

from decimal import ROUND_HALF_UP, Decimal


def to_cents(amount):
    """An amount of money, a Decimal, as whole cents: rule 3."""
    return int((amount * 100).quantize(Decimal(1), ROUND_HALF_UP))
'''
ROUNDING_TEST = """import unittest
from decimal import Decimal

from till.rounding import to_cents


class Rounding(unittest.TestCase):
    def test_half_a_cent(self):
        self.assertEqual(to_cents(Decimal("0.125")), {cents})

    def test_less_than_half(self):
        self.assertEqual(to_cents(Decimal("0.124")), 12)
"""

TAX = '''"""The tax on a price."""


def tax(cents, percent):
    """{words}"""
    return ({formula} + 1) // 2
'''
TAX_IN = ("The tax that is in a price.", "2 * cents * percent // (100 + percent)", 19)
TAX_ON = ("The tax that comes on top of a price.", "2 * cents * percent // 100", 23)
TAX_TEST = """import unittest

from till.tax import tax


class Tax(unittest.TestCase):
    def test_on_a_cup_of_tea(self):
        self.assertEqual(tax(119, 19), {cents})

    def test_no_tax(self):
        self.assertEqual(tax(250, 0), 0)
"""

ROUNDING_TESTS = "tests/prices/test_rounding.py"
STATEMENTS = {
    0: "test_half_a_cent wants 12 for 0.125, but rule 3 says that half a cent is rounded up: 13.",
    1: "round(12.5) is 12 in Python, and the bank rounds half to even as well.",
    2: "The bank is not the shop. RULES.md, rule 3: “Half a cent is rounded up.” There is no exception.",
}


class Tests(unittest.TestResult):
    """What came out of a test run, in one line."""

    @property
    def red(self) -> int:
        return len(self.failures) + len(self.errors)

    def counts(self) -> View:
        return {"total": self.testsRun, "passed": self.testsRun - self.red, "failed": self.red}

    def why(self) -> str:
        return "\n".join(words for _, words in self.failures + self.errors)

    def words(self) -> str:
        if not self.red:
            return f"{self.testsRun} tests green"
        first = (self.failures + self.errors)[0][0].id().rpartition(".")[2]
        return f"{self.red} of {self.testsRun} tests red: {first}"


def run_tests(folder: str, pattern: str = "test*.py") -> Tests:
    """Really run them, here and now, on the files as they are."""
    sys.path.insert(0, os.getcwd())
    for name in [name for name in sys.modules if name.partition(".")[0] in ("till", "tests")]:
        del sys.modules[name]
    tests = unittest.TestLoader().discover(folder, pattern, top_level_dir=".")
    result = Tests()
    tests.run(result)
    print(f"ran {pattern} in {folder}: {result.words()}", flush=True)
    return result


def write(path: str, text: str) -> None:
    Path(path).write_text(text, "utf-8")
    print(f"wrote {path}", flush=True)


def report(outcome: str, summary: str, **parts: Any) -> View:
    return {"outcome": outcome, "summary": summary, **parts}


def judged(tests: Tests, summary: str, approach: str) -> View:
    """Done if the tests are green; else what was tried, for whoever comes next."""
    if not tests.red:
        return report("done", f"{summary}; {tests.words()}", tests=tests.counts())
    tried = {"approach": approach, "outcome": tests.words()}
    return report("failed", tests.words(), tests=tests.counts(), attempts=[tried])


def plan(brief: View) -> View:
    missing = sorted(path.name for path in Path("till").glob("*.py") if path.name in ("discount.py", "receipt.py"))
    print(f"read RULES.md and till/: {', '.join(missing)} are not written yet", flush=True)
    tasks = [
        {"key": "money", "title": "Read and show prices", "files": ["till/money.py"]},
        {"key": "discount", "title": "Take off discounts", "files": ["till/discount.py"]},
        {"key": "receipt", "title": "Lay out the receipt", "files": ["till/receipt.py"]},
    ]
    return report("split", "three files, so three tasks that can be done at the same time", tasks=tasks)


def test(brief: View) -> View:
    named = {"artifacts": [{"name": ROUNDING_TESTS}]}
    if not brief["disputes"]:
        write(ROUNDING_TESTS, ROUNDING_TEST.format(cents=12))
        return report("done", "half a cent has a test: 0.125 is 12 cents", **named)
    dispute = brief["disputes"][0]
    if dispute["rounds"] < 2:
        said = {"parent": dispute["thread"], "content": STATEMENTS[1]}
        return report("disputed", STATEMENTS[1], comments=[said])
    write(ROUNDING_TESTS, ROUNDING_TEST.format(cents=13))
    agreed = {"parent": dispute["thread"], "resolution": "accepted", "content": "Rule 3 is plain: I was wrong."}
    return report("done", "rule 3 is plain, I was wrong: 0.125 is 13 cents", comments=[agreed], **named)


def build(brief: View) -> View:
    files = brief["constraints"]["files"]
    parts = {"till/money.py": build_money, "till/discount.py": build_discount, "till/receipt.py": build_receipt}
    parts |= {"till/rounding.py": build_rounding, "till/tax.py": build_tax}
    return parts[files[0]](brief)


def build_money(brief: View) -> View:
    write("till/money.py", MONEY)
    return judged(run_tests("tests/receipts", "test_money.py"), "prices have their sign", "write the sign first")


def build_discount(brief: View) -> View:
    model = os.environ["MOOT_MODEL"]
    write("till/discount.py", DISCOUNT.format(left=DISCOUNT_BY.get(model, DISCOUNT_BY[""])))
    approach = (
        "multiply, then round to the nearest cent" if model in DISCOUNT_BY else "whole numbers only, rounded down"
    )
    return judged(run_tests("tests/receipts", "test_discount.py"), approach, approach)


def build_receipt(brief: View) -> View:
    # It sees prices without a sign, since that task is not done yet, and sets one. Right here, wrong together.
    write("till/receipt.py", RECEIPT)
    return judged(
        run_tests("tests/receipts", "test_receipt.py"), "a line for each thing, and the total", "one line each"
    )


def build_rounding(brief: View) -> View:
    wanted = re.search(r'"0\.125"\)\), (\d+)', Path(ROUNDING_TESTS).read_text("utf-8"))
    if wanted and wanted[1] == "12":
        mine = next(iter(brief["disputes"]), None)
        words = STATEMENTS[2 if mine else 0]
        about = {"parent": mine["thread"]} if mine else {"artifact": ROUNDING_TESTS}
        return report("disputed", words, comments=[{"content": words, **about}])
    write("till/rounding.py", ROUNDING)
    return judged(run_tests("tests/prices"), "half a cent is rounded up", "let decimal round half up")


def build_tax(brief: View) -> View:
    if not brief["guidance"]:
        asked: View = {
            "question": "Is the tax in our prices already, or does it come on top?",
            "context": "RULES.md does not say it, and the receipt must.",
            "options": ["It is in the price", "It comes on top"],
            "default": "It is in the price",
        }
        return report("asks", asked["question"], question=asked)
    answer = brief["guidance"][-1]["answer"]
    words, formula, cents = TAX_ON if re.search(r"\b(top|add|without)", answer, re.IGNORECASE) else TAX_IN
    write("till/tax.py", TAX.format(words=words, formula=formula))
    write("tests/prices/test_tax.py", TAX_TEST.format(cents=cents))
    return judged(run_tests("tests/prices"), f"“{answer}”: 119 cents have {cents} of tax", "as it was answered")


def mend(brief: View) -> View:
    if "€€" in run_tests("tests").why():
        path = Path("till/receipt.py")
        write("till/receipt.py", path.read_text("utf-8").replace('"€" + show(cents)', "show(cents)"))
    return judged(run_tests("tests"), "the sign stood there twice: show() sets it", "leave the sign to show()")


def review(brief: View) -> View:
    tests = run_tests("tests")
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in Path("till").glob("*.py"))
    return judged(tests, f"read {lines} lines, nothing to change", "read it all")


ROLES = {"planner": plan, "tester": test, "builder": build, "mender": mend, "reviewer": review}


def main() -> None:
    brief = json.loads(Path(os.environ["MOOT_BRIEF"]).read_text("utf-8"))
    print(f"{brief['role']} on #{brief['task']['id']}: {brief['task']['title']}", flush=True)
    threading.Event().wait(PACE)
    said = ROLES[brief["role"]](brief)
    print(json.dumps(said, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()

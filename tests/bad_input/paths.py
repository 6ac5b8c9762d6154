"""B15 to B18: paths that lead out, that are twins, that only begin alike, and too many of them."""

import json

from tests.bad_input.text import ESCAPES, order
from tests.bad_input.yard import Case, Seen, Yard, refused, through_python, through_relay

LONG = "x" * 256
BAD = {
    "up": ("`../x`", "../x"),
    "up-inside": ("`a/../../x`", "a/../../x"),
    "up-back": ("`a\\..\\..\\x`", "a\\..\\..\\x"),
    "absolute": ("`/etc/passwd`", "/etc/passwd"),
    "doubled": ("`//x`", "//x"),
    "drive": ("`C:\\x`", "C:\\x"),
    "drive-slash": ("`c:/x`", "c:/x"),
    "drive-relative": ("`C:x`", "C:x"),
    "mark": ("`a?`", "a?"),
    "share": ("`\\\\host\\x`", "\\\\host\\x"),
    "tilde": ("`~/x`", "~/x"),
    "root": ("`/`", "/"),
    "here": ("`.`", "."),
    "nothing": ("an empty path", ""),
    "spaces": ("a path of spaces", "   "),
    "trailing-space": ("a name that ends with a space", "a /b"),
    "trailing-dot": ("a name that ends with a dot", "a./b"),
    "long-name": ("a name of 256 bytes", LONG),
    "long-wide-name": ("a name of 86 letters and 258 bytes", "漢" * 86),
    "long-path": ("a path of 5,000 letters", "a/" * 2500),
    "control": ("control codes in a path", ESCAPES),
    "bidi": ("bidi marks in a path", "a\u202eb"),
    "new-line": ("a new line in a path", "a\nb"),
    "option": ("`-rf`", "-rf"),
    "glob": ("`**`", "**"),
    "glob-inside": ("`src/*.py`", "src/*.py"),
}


def _twin(mine: str, theirs: str, name: str, given: str) -> Case:
    """Who locks one spelling keeps off everybody with another."""

    def act(yard: Yard) -> Seen:
        yard.done("lock", mine, "--as", "bob")
        before = yard.state()
        heard = yard.moot("lock", theirs, "--json")
        code = json.loads(heard.err)["error"]["code"] if heard.exit else None
        return Seen(heard.exit, code, yard.after(before))

    return Case("B16" if "/" not in theirs else "B17", name, given, "`moot lock`", act, 1, "path_held")


def _apart(mine: str, theirs: str, name: str, given: str) -> Case:
    def act(yard: Yard) -> Seen:
        yard.done("lock", mine, "--as", "bob")
        heard = yard.moot("lock", theirs, "--json")
        return Seen(heard.exit, None, "both are held: they do not meet")

    return Case("B17", name, given, "`moot lock`", act, 0, None, "both are held: they do not meet")


def _colon(yard: Yard) -> Seen:
    """`a` on `bb:x` and `a:bb` on `x` are two locks: the one does not take the other's away."""
    yard.done("lock", "bb:x", "--as", "a")
    yard.done("lock", "x", "--as", "a:bb")
    yard.done("unlock", "x", "--as", "a:bb")
    left = {lock["resource"] for lock in json.loads(yard.done("locks", "--json").out)["locks"]}
    assert "bb:x" in left and "x" not in left, left
    return Seen(0, None, "two locks, each its owner's own")


def _symlink(yard: Yard) -> Seen:
    """A path is a name from the project's root on: where a link leads is not looked at, so it opens nothing."""
    (yard.folder / "given" / "out").symlink_to("/etc")
    yard.done("lock", "given/out/passwd")
    held = [lock["resource"] for lock in json.loads(yard.done("locks", "--json").out)["locks"]]
    assert "given/out/passwd" in held
    return Seen(0, None, "held as a name; nothing is opened")


CASES = [
    *(
        refused("B15", f"lock-{name}", given, "lock", "--", path, code="bad_path")
        for name, (given, path) in BAD.items()
    ),
    *(
        refused("B15", f"files-{name}", given, "add", "a", f"--files={path}", code="bad_path")
        for name, (given, path) in BAD.items()
        if name in ("up", "absolute", "drive", "nothing", "control", "long-name")
    ),
    *(
        refused("B15", f"widen-{name}", given, "widen", "RUN", "--token", "1", "--", path, code="bad_path")
        for name, (given, path) in BAD.items()
        if name in ("up", "absolute", "share", "long-name", "option")
    ),
    refused("B15", "edit-up", "`../x`", "edit", "3", "--files", "../x", code="bad_path"),
    refused(
        "B15",
        "items-up",
        "`../x` in a file of items",
        "add",
        "--from",
        "-",
        stdin=b'{"title": "a", "files": ["../x"]}',
        code="bad_path",
    ),
    refused(
        "B15", "encoded", "`%2e%2e/x`, which is a name like any other", "unlock", "%2e%2e/x", code="not_yours", exit=1
    ),
    refused(
        "B15",
        "prompt",
        "a prompt outside the flow's folder",
        "check",
        "given/f.yaml",
        files={"f.yaml": b"columns: {a: {agents: [x], next: done}}\nagents: {x: {prompt: ../../etc/passwd}}\n"},
        code="flow_faults",
    ),
    through_python("B15", "python-up", "`../x`", lambda board: board.lock("../x"), "bad_path"),
    through_relay("B15", "relay-up", "`../x`", order("lock", paths=["../x"], seconds=60.0), "bad_path"),
    through_relay("B15", "relay-widen", "`/etc`", order("widen", paths=["/etc"]), "bad_path"),
    Case(
        "B15",
        "symlink",
        "a path through a symbolic link",
        "`moot lock`",
        _symlink,
        0,
        None,
        "held as a name; nothing is opened",
    ),
    # B16: twins
    _twin("readme", "README", "case", "`a` and `A`"),
    _twin("caf\u00e9", "cafe\u0301", "composed", "é as one letter and as two"),
    _twin("stra\u00dfe", "STRASSE", "sharp-s", "`ß` and `SS`"),
    _twin("\u212b", "\u00e5", "angstrom", "the sign Å and the letter å"),
    _twin("\ufb01le", "file", "ligature", "`ﬁ` and `fi`"),
    _twin("src/a", "src//./a", "dots", "`src/a` and `src//./a`"),
    _twin("src\\a", "src/a", "back", "`src\\a` and `src/a`"),
    # B17: prefixes
    _twin("lib/", "lib/a.py", "inside", "a folder and what is in it"),
    _twin("lib/a.py", "lib/", "above", "a file and the folder around it"),
    _apart("root/x", "root/x-evil", "prefix", "`root/x` and `root/x-evil`"),
    _apart("root/x/", "root/xy/z", "prefix-folder", "`root/x/` and `root/xy/z`"),
    # B18: many, and everything
    refused("B18", "all", "`/`, which is everything", "widen", "RUN", "--token", "1", "/", code="bad_path"),
    refused("B18", "many-lock", "201 paths", "lock", *(f"a{n}" for n in range(201)), code="bad_path"),
    refused(
        "B18",
        "many-files",
        "1,001 paths",
        "add",
        "a",
        *(w for n in range(1001) for w in ("--files", f"a{n}")),
        code="bad_path",
    ),
    refused(
        "B18",
        "many-widen",
        "5,000 paths",
        "widen",
        "RUN",
        "--token",
        "1",
        *(f"a{n}" for n in range(5_000)),
        code="bad_path",
    ),
    through_relay(
        "B18",
        "relay-many",
        "100,000 paths",
        order("widen", paths=[f"a{n}" for n in range(100_000)]),
        "bad_path",
    ),
    Case(
        "B18",
        "colon",
        "`:` in a person's name and in a path",
        "`moot lock`",
        _colon,
        0,
        None,
        "two locks, each its owner's own",
    ),
]

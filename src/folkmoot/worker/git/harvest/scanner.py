"""The text of a shell script as commands of words. A word keeps its variables and substitutions as marks."""

import re

from msgspec import Struct, field

VARIABLE, OUTPUT = "\x00", "\x01"  # stand around the name of a variable, and around the number of a substitution
VARIABLE_NAME = re.compile(r"\{[#!]?(\w+|[@*?$!#-])|(\w+|[@*?$!#-])")


class Command(Struct):
    """One simple command: its words, and whether it takes what another one says."""

    words: list[str] = field(default_factory=list)
    piped: bool = False


class Scanner:
    """Text → commands, those of substitutions among them. Quotes hold words together; all else parts them."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.outputs: list[list[Command]] = []
        self.is_open = False  # does the text end inside of a quote?
        self._text, self._at = "", 0

    def read(self, text: str) -> list[Command]:
        before = self._text, self._at
        self._text, self._at = text, 0
        found = self._commands_until("")
        self._text, self._at = before
        return found

    def _commands_until(self, end: str) -> list[Command]:
        """The commands from here to the sign `end`, or to the end of the text. `self.commands` gets them, too."""
        found: list[Command] = []
        command, word, has_word, depth = Command(), "", False, 0
        text = self._text
        while True:
            sign = text[self._at] if self._at < len(text) else ""
            ends = not sign or (sign == end and not depth)
            if ends or sign in " \t\n;|&()<>":
                if has_word:
                    command.words.append(word)
                word, has_word = "", False
                if ends or sign in "\n;|&()":
                    if (
                        sign == ")"
                        and not ends
                        and (not depth or (len(command.words) == 1 and "*" in command.words[0]))
                    ):
                        _drop_pattern(found, command)
                    elif command.words:
                        found.append(command)
                    depth = max(depth + {"(": 1, ")": -1}.get(sign, 0), 0)
                    command = Command(piped=sign == "|" and "||" not in text[max(self._at - 1, 0) : self._at + 2])
                if ends:
                    self.commands += found
                    return found
                self._at += 1
            elif sign == "#" and not has_word:
                line_end = text.find("\n", self._at)
                self._at = len(text) if line_end < 0 else line_end
            else:
                word, has_word = word + self._part(sign), True

    def _part(self, sign: str) -> str:
        self._at += 1
        if sign == "\\":
            self._at += 1
            return self._text[self._at - 1 : self._at]
        if sign == "'":
            return self._quoted()
        if sign == '"':
            said = ""
            while self._at < len(self._text) and self._text[self._at] != '"':
                said += self._part(self._text[self._at]) if self._text[self._at] in "\\$`" else self._plain()
            self.is_open |= self._at >= len(self._text)
            self._at += 1
            return said
        if sign == "`":
            return self._output("`")
        return self._dollar() if sign == "$" else sign

    def _plain(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _quoted(self) -> str:
        end = self._text.find("'", self._at)
        self.is_open |= end < 0
        end = len(self._text) if end < 0 else end
        said, self._at = self._text[self._at : end], end + 1
        return said

    def _output(self, end: str) -> str:
        inner = self._commands_until(end)
        self._at += 1
        self.outputs.append(inner)
        return f"{OUTPUT}{len(self.outputs) - 1}{OUTPUT}"

    def _dollar(self) -> str:
        text = self._text
        if text.startswith("((", self._at) and "))" in text[self._at :]:
            self._at = text.index("))", self._at) + 2
            return ""  # a number
        if text.startswith("(", self._at):
            self._at += 1
            return self._output(")")
        named = VARIABLE_NAME.match(text, self._at)
        if named is None:
            return "$"
        self._at = named.end()
        if named[1] is not None:  # what follows the name may be another word: ${A:-$B/c}
            rest, depth = "", 1
            while self._at < len(text) and depth:
                depth += {"{": 1, "}": -1}.get(text[self._at], 0)
                rest, self._at = rest + text[self._at], self._at + 1
            return f"{VARIABLE}{named[1]}{VARIABLE}{self._default(named[1], rest[:-1])}"
        return f"{VARIABLE}{named[2]}{VARIABLE}"

    def _default(self, name: str, rest: str) -> str:
        """What stands for a variable that is not set; it is read as a command of its own too."""
        if rest[:2] in (":-", ":=", ":+") or rest[:1] in ("-", "=", "+"):
            inner = Scanner()
            inner.outputs = self.outputs
            said = inner.read(rest.lstrip(":").lstrip("-=+"))
            self.commands += inner.commands
            word = said[0].words[0] if said and said[0].words else ""
            if "=" in rest[:2]:
                self.commands.append(Command([f"{name}={word}"]))  # from then on it is set
            return word
        return ""


def _drop_pattern(found: list[Command], command: Command) -> None:
    """What stands before a closing sign that nobody opened is a pattern of `case`, and no command."""
    while command.piped and found:
        command = found.pop()

"""Who waits for whom in a list, and whether one more link would close a circle."""

from collections.abc import Iterable, Iterator


class Links:
    """Each name is a bit. For each it is kept whom it waits for and who waits for it, through others too: so a link
    is judged at once, and a list in which everything names everything is ordered as soon as any other."""

    def __init__(self, names: Iterable[str]) -> None:
        self._number = {name: number for number, name in enumerate(names)}
        self._ahead = [0] * len(self._number)
        self._behind = [0] * len(self._number)

    def add(self, waiting: str, need: str) -> bool:
        """Note that one waits for the other. False: the other waits for it, and nothing was noted."""
        one, other = self._number[waiting], self._number[need]
        if one == other or self._ahead[other] >> one & 1:
            return False
        if self._ahead[one] >> other & 1:
            return True
        ahead, behind = self._ahead[other] | 1 << other, self._behind[one] | 1 << one
        new_behind, new_ahead = behind & ~self._behind[other], ahead & ~self._ahead[one]
        for number in _bits(new_behind):
            self._ahead[number] |= ahead
        for number in _bits(new_ahead):
            self._behind[number] |= behind
        return True


def _bits(value: int) -> Iterator[int]:
    while value:
        lowest = value & -value
        yield lowest.bit_length() - 1
        value ^= lowest

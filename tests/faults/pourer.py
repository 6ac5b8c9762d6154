"""A process that writes events in batches into a board on a server, each batch once, whatever happens to the server.

python pourer.py ADDRESS NAME BATCHES EACH
"""

import sys

from folkmoot.core.events import Event
from folkmoot.errors import Unavailable
from folkmoot.store.port import Transaction
from folkmoot.store.postgres.store import PostgresStore

TRIES = 1000


def pour(store: PostgresStore, name: str, batch: int, each: int) -> None:
    """In one transaction with a note that it was made: an outcome that nobody could tell is settled by asking."""

    def work(tx: Transaction) -> None:
        if tx.output(name, batch + 1, 1):
            return
        first = batch * each
        events = [Event(name="board_resumed", context={"by": name, "n": first + one}) for one in range(each)]
        tx.save(events, [], {})
        tx.keep_output(name, batch + 1, "made")

    for _ in range(TRIES):
        try:
            return store.transact(work)
        except Unavailable:
            continue
    raise SystemExit(f"{name} could not write batch {batch}")


def main(address: str, name: str, batches: int, each: int) -> None:
    for _ in range(TRIES):
        try:
            store = PostgresStore.open(address)
            break
        except Unavailable:
            continue
    for batch in range(batches):
        pour(store, name, batch, each)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

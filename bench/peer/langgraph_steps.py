"""LangGraph with its SQLite checkpoints, each on the disk before the next of three nodes begins. Prints JSON."""

import json
import sys
import time
from pathlib import Path
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver  # type: ignore[import-not-found]
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]


class State(TypedDict):
    number: int


def step(state: State) -> State:
    return {"number": state["number"] + 1}


def steps_per_second(folder: Path, workflows: int) -> float:
    with SqliteSaver.from_conn_string(str(folder / "langgraph.db")) as saver:
        saver.setup()
        saver.conn.execute("PRAGMA synchronous = FULL")
        graph = StateGraph(State)
        for name in ("one", "two", "three"):
            graph.add_node(name, step)
        for before, after in ((START, "one"), ("one", "two"), ("two", "three"), ("three", END)):
            graph.add_edge(before, after)
        compiled = graph.compile(checkpointer=saver)

        def all_done(name: str, count: int) -> float:
            start = time.perf_counter()
            for number in range(count):
                thread = {"configurable": {"thread_id": f"{name}{number}"}}
                if compiled.invoke({"number": 0}, thread, durability="sync")["number"] != 3:
                    raise RuntimeError("a graph did not end as it should")
            return time.perf_counter() - start

        all_done("warm", max(1, workflows // 10))
        return 3 * workflows / all_done("run", workflows)


if __name__ == "__main__":
    print(json.dumps({"one after the other": steps_per_second(Path(sys.argv[1]), int(sys.argv[2]))}))

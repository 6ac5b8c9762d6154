"""The nearest equal of a claim and its report, by peers on one PostgreSQL server. Prints JSON: how many per second.

    python on_postgres.py PEER CONNECT COUNT CALLERS

Procrastinate and PgQueuer take a job that does nothing and mark it done, so many side by side; LangGraph and DBOS make
the durable steps of workflows of three that do nothing, so many threads.
"""

import asyncio
import json
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor


def procrastinate(connect: str, count: int, callers: int) -> float:
    from procrastinate import App, PsycopgConnector  # type: ignore[import-not-found]

    app = App(connector=PsycopgConnector(conninfo=connect))

    @app.task(name="nothing")
    async def nothing(number: int) -> None: ...

    async def go() -> float:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            await nothing.batch_defer_async(*({"number": number} for number in range(count)))
            began = time.perf_counter()
            await app.run_worker_async(concurrency=callers, wait=False, install_signal_handlers=False)
            return count / (time.perf_counter() - began)

    return asyncio.run(go())


def pgqueuer(connect: str, count: int, callers: int) -> float:
    import psycopg
    from pgqueuer import PgQueuer  # type: ignore[import-not-found]
    from pgqueuer.db import PsycopgDriver  # type: ignore[import-not-found]
    from pgqueuer.queries import Queries  # type: ignore[import-not-found]

    async def go() -> float:
        connection = await psycopg.AsyncConnection.connect(connect, autocommit=True)
        async with connection:
            driver = PsycopgDriver(connection)
            queries = Queries(driver)
            await queries.install()
            await queries.enqueue(["nothing"] * count, [None] * count, [0] * count)
            queue, left = PgQueuer(driver), count

            @queue.entrypoint("nothing")
            async def nothing(job: object) -> None:
                nonlocal left
                left -= 1
                if not left:
                    queue.shutdown.set()

            began = time.perf_counter()
            await queue.run(batch_size=callers)
            return count / (time.perf_counter() - began)

    return asyncio.run(go())


def langgraph(connect: str, count: int, callers: int) -> float:
    from langgraph.checkpoint.postgres import PostgresSaver  # type: ignore[import-not-found]
    from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]
    from psycopg.rows import dict_row
    from psycopg_pool import ConnectionPool  # type: ignore[import-not-found]

    settings = {"autocommit": True, "row_factory": dict_row}
    with ConnectionPool(connect, min_size=callers, max_size=callers, kwargs=settings) as pool:
        saver = PostgresSaver(pool)
        saver.setup()
        graph = StateGraph(dict)
        names = ("one", "two", "three")
        for name in names:
            graph.add_node(name, lambda state: state)
        for before, after in zip((START, *names), (*names, END), strict=True):
            graph.add_edge(before, after)
        compiled = graph.compile(checkpointer=saver)

        def one(number: int) -> None:
            compiled.invoke({"n": number}, {"configurable": {"thread_id": str(number)}}, durability="sync")

        began = time.perf_counter()
        with ThreadPoolExecutor(callers) as threads:
            list(threads.map(one, range(count // 3)))
        return count // 3 * 3 / (time.perf_counter() - began)


def dbos(connect: str, count: int, callers: int) -> float:
    from dbos import DBOS  # type: ignore[import-not-found]

    @DBOS.step()
    def step(number: int) -> int:
        return number + 1

    @DBOS.workflow()
    def three(number: int) -> int:
        for _ in range(3):
            number = step(number)
        return number

    DBOS(config={"name": "bench", "system_database_url": connect, "run_admin_server": False, "log_level": "ERROR"})
    logging.disable(logging.CRITICAL)
    DBOS.launch()
    began = time.perf_counter()
    with ThreadPoolExecutor(callers) as threads:
        ends = list(threads.map(three, [0] * (count // 3)))
    seconds = time.perf_counter() - began
    DBOS.destroy()
    if set(ends) != {3}:
        raise RuntimeError("a workflow did not end as it should")
    return count // 3 * 3 / seconds


PEERS = {"procrastinate": procrastinate, "pgqueuer": pgqueuer, "langgraph": langgraph, "dbos": dbos}

if __name__ == "__main__":
    peer, connect, count, callers = sys.argv[1:]
    print(json.dumps({"per second": PEERS[peer](connect, int(count), int(callers))}))

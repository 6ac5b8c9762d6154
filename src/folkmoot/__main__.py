import os
import sys


def start() -> None:
    # `python -m` looks for modules first in the folder it is called in, and there the work of agents lands.
    above = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    try:
        here = os.getcwd()
    except FileNotFoundError:  # it was removed, so there is nothing in it
        here = ""
    if not sys.flags.safe_path and sys.path[:1] == [here] and os.path.realpath(sys.path[0]) != above:
        del sys.path[0]
    from folkmoot.wiring import main

    main()


start()

"""Windows of quotas, as clients last told them: how much is used, and when each begins anew."""

from folkmoot.api.usage import WindowLine
from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.core.rules.running.spending import QUOTA
from folkmoot.engine.reads.views import moment_text
from folkmoot.store.port import Reading

NEAR = 0.8  # of a window: who looks at the board should know


def windows_of(reading: Reading, flow: Flow) -> list[WindowLine]:
    """Of every pool that the flow uses."""
    pools = {flow.pool(agent.name, model) for agent in flow.agents.values() for model in _models(flow, agent.name)}
    found = [meter for pool in sorted(pools) if (meter := reading.meter(QUOTA + pool)) is not None]
    return [
        WindowLine(
            pool=meter.id.removeprefix(QUOTA),
            window=window.name,
            used=window.used,
            resets_at=moment_text(window.resets_at),
            status=window.status,
            seen_at=moment_text(meter.at),
        )
        for meter in found
        for window in meter.windows
    ]


def near_their_end(windows: list[WindowLine], now: int) -> list[WindowLine]:
    """Those that are nearly used up, and have not begun anew since they were told."""
    moment = moment_text(now) or ""
    return [one for one in windows if (one.used or 0.0) >= NEAR and (one.resets_at or "9") > moment]


def _models(flow: Flow, agent: str) -> list[str | None]:
    rungs: list[str | None] = [rung.model for rung in flow.agents[agent].ladder if rung.model != RUNG_ESCALATE]
    return rungs or [None]

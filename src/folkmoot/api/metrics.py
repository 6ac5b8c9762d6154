"""Measures of a board: how long agents worked, how often work changed hands or came back, what it cost."""

from folkmoot.api.views import View


class WorkflowCounts(View, frozen=True, gc=False, kw_only=True):
    total: int
    begun: int
    escalated: int
    done: int
    cancelled: int


class TypeCounts(View, frozen=True, gc=False, kw_only=True):
    """Of the workflows of one type: feature, bugfix, refactor."""

    items: int
    handoffs: int
    fix_iterations: int
    escalated: int


class RunCounts(View, frozen=True, gc=False, kw_only=True):
    total: int
    open: int
    outcomes: dict[str, int]
    wasted: int
    wasted_rate: float
    gates: int = 0  # of `total`: runs of gates and landings, which use no model


class QuestionCounts(View, frozen=True, gc=False, kw_only=True):
    asked: int
    open: int
    answered: int
    seconds_to_answer: float | None


class Metrics(View, frozen=True, gc=False, kw_only=True):
    time_per_agent: dict[str, float]
    handoffs_per_workflow: dict[str, int]
    fix_iterations: dict[str, int]
    escalation_rate: float
    by_workflow: dict[str, TypeCounts]
    success_rate: float | None
    workflows: WorkflowCounts
    runs: RunCounts
    questions: QuestionCounts
    cost_usd: float
    cost_per_agent: dict[str, float]

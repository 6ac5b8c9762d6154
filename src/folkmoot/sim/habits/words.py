"""An agent that means well and writes loosely: no parent, other spellings, labels that are not true."""

from folkmoot.core.enums import Outcome
from folkmoot.core.report import Remark, Report, Try
from folkmoot.core.vocabulary.words import CAUSE_WORDS, SECURITY_WORDS
from folkmoot.sim import speech
from folkmoot.sim.speech import Scene

# As the documents print them, and as agents shout them.
_SPELLINGS = (str.upper, str.title, str.capitalize, lambda words: words.replace(" ", "_"))


def loose(scene: Scene) -> Report:
    """Replies without a parent, or with the resolution that only means no; else fails in the documents' own words."""
    chance = scene.chance
    if scene.claim.brief["disputes"] and chance.random() < 0.8:
        return reply(scene)
    says = chance.choice((_named_cause, _shouted_reason, _labelled, _tried_and_incomplete, _numbered))
    return says(scene)


def reply(scene: Scene) -> Report:
    """Disagrees, and leaves out to what; or says so by a resolution."""
    dispute = scene.claim.brief["disputes"][-1]
    parent = scene.chance.choice((None, None, dispute["thread"]))
    remark = Remark(content="No.", parent=parent, resolution=scene.chance.choice((None, "rejected")))
    return Report(outcome="disputed", comments=[remark])


def _spelt(scene: Scene, words: str) -> str:
    return scene.chance.choice(_SPELLINGS)(words)


def _named_cause(scene: Scene) -> Report:
    phrases = [phrase for known in CAUSE_WORDS.values() for phrase in known] + list(SECURITY_WORDS)
    outcome: Outcome = scene.chance.choice(("failed", "stuck"))
    return Report(outcome=outcome, summary="it broke", reason=_spelt(scene, scene.chance.choice(phrases)))


def _shouted_reason(scene: Scene) -> Report:
    reason = _spelt(scene, scene.chance.choice((*scene.flow.reasons, "unknown")))
    if scene.chance.random() < 0.5:
        return Report(outcome="stuck", escalation_reason=reason, blockers="too deep")
    return Report.failed("could not", reason="Test expects 42, got 41", escalation_reason=reason)


def _tries(scene: Scene) -> list[Try]:
    kinds = ("self_solve", "expert_delegation", "expert_delegation")
    number = scene.chance.choice((1, 2, 4))
    return [Try(kind=scene.chance.choice(kinds), approach=speech.approach(scene), outcome="red") for _ in range(number)]


def _labelled(scene: Scene) -> Report:
    return Report.failed("could not", attempts=_tries(scene))


def _tried_and_incomplete(scene: Scene) -> Report:
    return Report(outcome="incomplete", summary="half of it", attempts=_tries(scene))


def _numbered(scene: Scene) -> Report:
    """A number of issues, and none of them told."""
    return Report(outcome="changes_requested", extra={"status": "needs_fixes", "issues": 2})

"""What a run learnt is kept, and reaches later ones of the same role or on the same files (Q-13)."""

from folkmoot.core.records import Lesson
from folkmoot.core.report import Report
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, overlap
from folkmoot.core.situation import Case

LESSONS_TOLD = 5
LESSON_CHARACTERS = 2_000
LESSONS_OF_A_RUN = 20


def learn(case: Case, said: Report) -> None:
    lessons = [text.strip()[:LESSON_CHARACTERS] for text in said.lessons if text.strip()][:LESSONS_OF_A_RUN]
    if not lessons or case.run is None:
        return
    files = [*case.item.files, *said.files.created, *said.files.modified]
    about = list(dict.fromkeys(normal_path(path) for path in files if not bad_path(path)))
    row = {"agent": case.run.agent, "item": case.item.id, "run": case.run.id, "files": about, "at": case.situation.at}
    rows = [(case.new_lesson_id(), {"text": text, **row}) for text in lessons]
    case.emit("lesson_learned", {"lessons": len(rows)}, lessons=rows)


def told_to(agent: str, files: list[str], newest_first: list[Lesson]) -> list[Lesson]:
    """The five newest that concern an agent of this role, or whoever works on these files; each thing once."""
    told: dict[str, Lesson] = {}
    for lesson in newest_first:
        if lesson.text not in told and (lesson.agent == agent or overlap(files, lesson.files)):
            told[lesson.text] = lesson
        if len(told) == LESSONS_TOLD:
            break
    return list(told.values())

"""What a run learnt is kept, and reaches later ones of the same role, on the same files or of the same quest (Q-13)."""

from folkmoot.core.item import Item
from folkmoot.core.records import Lesson
from folkmoot.core.report import Report
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, overlap
from folkmoot.core.situation import Case

LESSONS_TOLD = 5
OF_THE_WHOLE_TOLD = 20
LESSON_CHARACTERS = 2_000
LESSONS_OF_A_RUN = 20


def learn(case: Case, said: Report) -> None:
    if not said.lessons:
        return
    lessons = [text.strip() for text in said.lessons if text.strip()]
    if not lessons or case.run is None:
        return
    where = f"in the report of run {case.run.id} of item {case.item.id}"
    if len(lessons) > LESSONS_OF_A_RUN:
        lessons = [*lessons[: LESSONS_OF_A_RUN - 1], f"{len(lessons) - LESSONS_OF_A_RUN + 1} more lessons are {where}"]
    lessons = [_short(text, where) for text in lessons]
    files = [*case.item.files, *said.files.created, *said.files.modified]
    about = list(dict.fromkeys(normal_path(path) for path in files if not bad_path(path)))
    row = {"agent": case.run.agent, "item": case.item.id, "run": case.run.id, "files": about, "at": case.situation.at}
    row["whole"] = case.item.top
    rows = [(case.new_lesson_id(), {"text": text, **row}) for text in lessons]
    case.emit("lesson_learned", {"lessons": len(rows)}, lessons=rows)


def _short(text: str, where: str) -> str:
    if len(text) <= LESSON_CHARACTERS:
        return text
    return f"{text[:LESSON_CHARACTERS]} […{len(text) - LESSON_CHARACTERS} characters more {where}]"


def told_to(agent: str, item: Item, newest_first: list[Lesson]) -> list[Lesson]:
    """What was learnt for the same whole, whoever learnt it; and the five newest that concern an agent of this role,
    or whoever works on these files. Each thing once."""
    of_whole: dict[str, Lesson] = {}
    others: dict[str, Lesson] = {}
    for lesson in newest_first:
        if is_of_whole(lesson, item):
            of_whole.setdefault(lesson.text, lesson)
        elif len(others) < LESSONS_TOLD and (lesson.agent == agent or overlap(item.files, lesson.files)):
            others.setdefault(lesson.text, lesson)
    told = {**dict(list(of_whole.items())[:OF_THE_WHOLE_TOLD]), **others}
    return sorted(told.values(), key=newest_first.index)


def is_of_whole(lesson: Lesson, item: Item) -> bool:
    """Was it learnt on the same item, on the quest that the item is a part of, or on another part of that?"""
    return item.top in (lesson.whole, lesson.item) or lesson.item in (item.id, item.parent)

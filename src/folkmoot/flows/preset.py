"""The flows that Folkmoot brings along: folders of text, `flow.yaml` and its prompts."""

from pathlib import Path

from folkmoot.errors import Invalid
from folkmoot.flows.faults import did_you_mean

PRESETS = Path(__file__).parent / "presets"
FLOW_FILE = "flow.yaml"


def preset_names() -> list[str]:
    return sorted(folder.name for folder in PRESETS.iterdir() if (folder / FLOW_FILE).is_file())


def read_preset(name: str) -> dict[str, str]:
    """The files of a preset: path from its folder on, and text."""
    known = preset_names()
    if name not in known:
        raise Invalid(
            "unknown_preset", "there is no preset {name!r}", did_you_mean(name, known), name[:60], known=known
        )
    folder = PRESETS / name
    files = [folder / FLOW_FILE, *sorted((folder / "prompts").glob("*.md"))]
    return {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in files}

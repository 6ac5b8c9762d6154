"""The file beside an artifact, with the comments on it as the document prints them (K-05)."""

from folkmoot.core.records import Comment
from folkmoot.engine.reads.views import moment_text
from folkmoot.mirror.writing.yaml_text import quoted, scalar, words


def meta_file(path: str, artifacts: list[str], comments: list[Comment], *, several: bool) -> bytes:
    """`several`: the file is about more than one artifact or item, so each comment says about which."""
    lines = [*(f"# Artifact: {_one_line(artifact)}" for artifact in artifacts), f"# Metadata: {_one_line(path)}", ""]
    lines += ["comments:" if comments else "comments: []"]
    for number, comment in enumerate(comments):
        lines += [""] if number else []
        lines += [
            f"  - id: {comment.id}",
            f"    author: {scalar(comment.author)}",
            f"    timestamp: {moment_text(comment.at)}",
        ]
        if several:
            lines += [f"    artifact: {scalar(comment.artifact)}", f"    item: {comment.item}"]
        if comment.target is not None:
            lines.append(f"    target: {quoted(comment.target)}")
        if comment.parent is not None:
            lines.append(f"    parent: {scalar(comment.parent)}")
        lines += [f"    content: {words(comment.content, 6)}", f"    status: {scalar(comment.status)}"]
        if comment.resolution is not None:
            lines.append(f"    resolution: {scalar(comment.resolution)}")
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def _one_line(text: str) -> str:
    return text if text.isprintable() else quoted(text)

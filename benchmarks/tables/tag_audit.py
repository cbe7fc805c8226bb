"""Recall of hidden tags among the best suggestions, and twenty suggestions on all tags looked at one by one."""

from typing import Any


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    found = figures["recall among the n best"]
    sizes = list(next(iter(found.values())))
    methods = {name: found[name] for name in sorted(found, key=lambda name: -found[name][sizes[-1]])}
    lines = ["| method | " + " | ".join(f"best {int(n):,}" for n in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    lines += [f"| {name} | " + " | ".join(f"{found[n]:.1%}" for n in sizes) + " |" for name, found in methods.items()]
    lines += ["", f"{figures['hidden']:,} tags were hidden."]
    suggestions = figures["suggestions on all tags"]
    lines += ["", "| package | description | lacks | because it carries | looked at |", "|---|---|---|---|---|"]
    for one in suggestions:
        because = ", ".join(f"`{label}`" for label in one["companions"])
        lines.append(f"| {one['package']} | {one['text']} | `{one['tag']}` | {because} | {one['looked at']} |")
    right = sum(one["looked at"].startswith("right") for one in suggestions)
    return "\n".join([*lines, "", f"{right} of {len(suggestions)} are right."])

"""The numbers that MultiTrust published, and whether a run may stand beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from mmte.compat.literals import Literals
from mmte.errors import MmteError, near


@dataclass(frozen=True, slots=True)
class Published:
    """What was published of a model.

    `total` is from 0 to 100. `ranks` are places among 21 models by sub-aspect and `overall`, empty for a model that
    the paper does not have; `paper` is then its name there.
    """

    model: str
    total: float
    paper: str = ""
    ranks: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """All published numbers: their sources, the judge and lists that they were made with, the dates of their file."""

    models: Mapping[str, Published]
    columns: Sequence[str]
    judge: str
    refusal_templates: str
    history: Sequence[str]
    sources: Mapping[str, str]

    def of(self, name: str) -> Published:
        """The numbers of a model, by its name in rank.txt or in the paper, in any case.

        Raises:
            MmteError: nothing was published of it; near names are in the message.
        """
        wanted = name.casefold()
        for model in self.models.values():
            if wanted in (model.model.casefold(), model.paper.casefold()):
                return model
        known = [*self.models, *(m.paper for m in self.models.values() if m.paper)]
        raise MmteError(f"--published {name}: MultiTrust published nothing of it.{near(name, known)}")


def load_published() -> Publication:
    """The numbers of `published.yaml` beside this module."""
    import yaml

    data: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("published.yaml").read_text("utf-8"))
    totals, ranks = data["totals"], data["ranks"]
    in_paper = {about["model"]: (paper, about["ranks"]) for paper, about in ranks["models"].items()}
    models = {}
    for model, total in totals["scores"].items():
        paper, places = in_paper.get(model, ("", None))
        found = dict(zip(ranks["columns"], places, strict=True)) if places else None
        models[model] = Published(model, float(total), paper, found)
    sources = {"totals": totals["source"], "ranks": ranks["source"]}
    made_with = totals["judge"], totals["refusal_templates"]
    return Publication(models, tuple(ranks["columns"]), *made_with, tuple(totals["history"]), sources)


def as_published(literals: Literals) -> bool:
    """Whether the lists are those that the published numbers were made with: of before 2025-03-24, as to refusals."""
    found = json.dumps(list(literals.reject_templates)).encode("ascii")
    return hashlib.sha256(found).hexdigest() == load_published().refusal_templates


def differences(report: Mapping[str, Any]) -> list[str]:
    """What keeps a report from being compared with the published numbers; empty: nothing.

    A run of ours always differs, as its prompts are. Old logs of MMTrustEval have the original's prompts and data; what
    they do not say (their judge, their lists) must be told when they are imported.
    """
    settings = report["settings"]
    logs = settings.get("imported")
    return _of_logs(logs) if logs else _of_run(settings)


def _of_run(settings: Mapping[str, Any]) -> list[str]:
    told = ["prompts are mmte's own"]
    if settings["data"] != "given":
        told.append(f"data are {'mini data' if settings['data'] == 'mini' else settings['data']}, not the original's")
    else:
        told.append("data are of --mmte-data, which nobody has checked against the original's")
    if settings.get("limit"):
        told.append(f"--mmte-limit={settings['limit']} left samples out")
    told.append("the judge is not the original's (gpt-4-1106-preview, shut down)")
    if settings["scoring"] != "multitrust":
        told.append(f"scoring is {settings['scoring']}, not multitrust")
    return told


def _of_logs(logs: Mapping[str, Any]) -> list[str]:
    told = []
    wanted = load_published().judge
    if not logs["judge"]:
        told.append(f"the judge is not known, as logs do not name it (import with --judge {wanted} if it was)")
    elif logs["judge"] != wanted:
        told.append(f"the judge was {logs['judge']}, not {wanted}")
    if logs["lists"] is None:
        told.append("the phrase lists are not known (import with --mmte-multitrust FILE, the lists before 2025-03-24)")
    elif not logs["lists"]["as_published"]:
        told.append(f"the phrase lists are those of '{logs['lists']['version']}', not of before 2025-03-24")
    return told

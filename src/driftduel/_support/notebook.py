"""What a notebook shows of an object: a card that the reports make, if they can."""

from __future__ import annotations

from importlib import import_module


class InNotebooks:
    """Gives an object a card in notebooks; see `driftduel.report.cards`."""

    def _repr_html_(self) -> str:
        # By name: what is shown knows nothing of who shows it, and no result depends on it.
        text: str = import_module("driftduel.report.cards").card(self)
        return text

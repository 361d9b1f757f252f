"""The languages that voters' pages speak: English, and those with a file in ``web/locale``."""

from __future__ import annotations

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "pt": "Português",
    "it": "Italiano",
    "nl": "Nederlands",
    "pl": "Polski",
    "tr": "Türkçe",
    "ar": "العربية",
    "zh": "中文",
    "ja": "日本語",
}
"""What each calls itself."""

RIGHT_TO_LEFT = frozenset({"ar"})

BROWSER = "browser"
"""The setting by which each voter gets the language that the browser asks for."""


def preferred(header: str) -> str:
    """Return the language that a browser likes best of those there are, by ``Accept-Language``.

    Examples
    --------
    >>> preferred("de-AT,de;q=0.9,en;q=0.8"), preferred("sv, fr;q=0.4, it;q=0.7"), preferred("*")
    ('de', 'it', 'en')
    """
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(header[:_LONGEST].split(",")):
        name, _, quality = part.strip().partition(";")
        code = name.split("-")[0].strip().lower()
        if code in LANGUAGES and (weight := _weight(quality)) > 0:
            wanted.append((-weight, place, code))
    return min(wanted)[2] if wanted else "en"


_LONGEST = 500


def _weight(text: str) -> float:
    """Return what ``q=0.8`` says; 1 if there is nothing, 0 if it makes no sense."""
    if not text.strip():
        return 1.0
    try:
        weight = float(text.strip().removeprefix("q="))
    except ValueError:
        return 0.0
    return weight if 0.0 <= weight <= 1.0 else 0.0

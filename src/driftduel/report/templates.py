"""HTML that holds all it needs: the templates of ``assets``, escaped, and the scripts they embed.

Whatever stands in a label, it is text: templates escape every value, and data for a script go
through the filter ``tojson``, which leaves no character that could end the script.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftduel.report.extra import drawing_library

if TYPE_CHECKING:
    import jinja2

_ASSETS = Path(__file__).parent / "assets"
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:"
)
"""Nothing may be fetched. Vega compiles the expressions of a chart, hence ``unsafe-eval``."""


def write_html(file: Path, template: str, **values: Any) -> None:
    """Write a page made from a template and its values."""
    drawing_library("vl_convert")
    text = render(template, **values)
    # A character that has no bytes, half of a pair, becomes a reference, which shows as a box.
    file.write_text(text, encoding="utf-8", errors="xmlcharrefreplace")


def render(template: str, **values: Any) -> str:
    """Return the text of a page made from a template and its values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    library = drawing_library("jinja2")
    environment: jinja2.Environment = library.Environment(
        loader=library.FileSystemLoader(_ASSETS),
        autoescape=True,
        undefined=library.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.globals |= {"policy": _POLICY, "asset": _asset, "vega": _vega}
    return environment


def _asset(name: str) -> Any:
    """Return a file of our own, as it is."""
    return drawing_library("markupsafe").Markup((_ASSETS / name).read_text(encoding="utf-8"))


@cache
def _vega() -> Any:
    """Return Vega, Vega-Lite and Vega-Embed in one script, as the version of Altair needs it."""
    version = drawing_library("altair").VEGALITE_VERSION.lstrip("v")
    major_minor = ".".join(version.split(".")[:2])
    script: str = drawing_library("vl_convert").javascript_bundle(vl_version=major_minor)
    return drawing_library("markupsafe").Markup(script.replace("</script", "<\\/script"))

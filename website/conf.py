"""How Sphinx makes the site; `python -m website build` calls it. Nothing is fetched."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from driftduel._support.version import __version__

sys.path.insert(0, str(Path(__file__).parent))  # for mathml

project = "driftduel"
author = "The driftduel maintainers"
project_copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_nb",
    "mathml",
]
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
nb_execution_mode = "off"  # `make examples` runs them
nb_merge_streams = True

autodoc_typehints = "none"  # numpydoc has them in words; signatures would fill half a page
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
default_role = "py:obj"  # a name in a docstring leads to its page; what is none stays code
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "driftduel"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "driftduel"},
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}


def _escape_bars(_app: Any, _what: str, _name: str, _thing: Any, _o: Any, lines: list[str]) -> None:
    """Keep |A|, the size of a set, from being read as a substitution."""
    lines[:] = [re.sub(r"\|(\w)\|", r"\\|\1\\|", line) for line in lines]


def setup(app: Sphinx) -> None:
    """Connect what reads docstrings."""
    app.connect("autodoc-process-docstring", _escape_bars)

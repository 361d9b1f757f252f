"""Whatever stands in a label is shown as text, in every way that HTML is written."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import driftduel as dd
from driftduel.report import best_over_time, regret_over_time, save_figure, write_report
from driftduel.report.document import compose
from driftduel.report.page import write_page
from studies.benchmark import suite
from studies.benchmark.page import compose_benchmark, write_benchmark
from studies.reproduction.page import write_reproduction
from tests.browser.conftest import Opened
from tests.report import sweeps
from tests.studies import tiny_suite

HOSTILE = (
    "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
    """"' onmouseover="window.hacked=1" --> <!-- <script> {{7*7}} {% raw %} &lt;"""
)
UNPRINTABLE = "tea\x00\x07\x1b[31m\u2028\u202e\ufeff\ud800"
FILE = "<img src=x onerror=window.hacked=1>.npz"

SPEC = f"""
title = {json.dumps(HOSTILE)}
seeds = 2
points = 4

[[stream]]
label = {json.dumps(HOSTILE)}
file = {json.dumps(FILE)}

[[stream]]
label = {json.dumps("grid " + HOSTILE)}
world = "alternation"
n_arms = 2
margin = 0.5
every = 100
horizon = [200, 400, 800, 1600]

[[learner]]
name = "MetaBosse"
label = {json.dumps("METABOSSE " + HOSTILE)}

[[learner]]
name = "Uniform"
label = {json.dumps("random " + HOSTILE)}
"""


def hostile_world():
    """A change of taste between arms that would rather be markup."""
    first = [[0.5, 0.9], [0.1, 0.5]]
    last = 1 - np.array(first)
    return dd.Stream.piecewise(
        [first, last], [0, 300], 600, labels=[f"tea {HOSTILE}", f"milk {HOSTILE}"]
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    hostile_world().save(folder / FILE)
    return sweeps.sweep(SPEC, folder)


def a_report(results, folder):
    return write_report(results, "html", folder / "report.html")[0]


def a_reproduction(results, folder):
    return write_reproduction({"real-worlds": results}, folder, command=HOSTILE)


def a_benchmark(results, folder):
    labels = {world.label: f"{world.label} {HOSTILE}" for world in tiny_suite.WORLDS}
    worlds = [replace(world, label=labels[world.label]) for world in tiny_suite.WORLDS]
    answers = {
        criterion: {
            labels[world]: {f"{rival} {HOSTILE}": answer for rival, answer in each.items()}
            for world, each in answers.items()
        }
        for criterion, answers in tiny_suite.hindsight().items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_suite, "WORLDS", worlds)
        tiny_suite.install(patch)
        patch.setattr(suite, "hindsight", lambda: answers)
        spec = suite.benchmark_spec("borda", "tuning", seeds=2)
        played = {("borda", "tuning"): sweeps.run(spec, folder / "borda")}
        return write_benchmark(compose_benchmark(played, HOSTILE), folder)[0]


def a_figure_of_scores(results, folder):
    world = hostile_world()
    phases = dd.measure(world).significant_borda
    chart = best_over_time(world, phases, title=HOSTILE, subtitle=[HOSTILE])
    return save_figure(chart, folder, "scores", ["html"])[0]


def a_figure_of_regret(results, folder):
    run = dd.simulate(dd.MetaBosse(2, 600), hostile_world(), points=5)
    chart = regret_over_time({HOSTILE: [run]}, title=HOSTILE, noticing=HOSTILE)
    return save_figure(chart, folder, "regret", ["html"])[0]


def a_figure_of_somebody_else(results, folder):
    import altair as alt

    data = alt.InlineData(values=[{"x": 1, "label": HOSTILE}])
    chart = alt.Chart(data, title=HOSTILE).mark_point().encode(x="x:Q", y="label:N")
    return save_figure(chart, folder, "own", ["html"])[0]


def a_plot_of_regret(results, folder):
    return saved_by_altair(dd.plot.regret(results), folder)


def a_plot_of_growth(results, folder):
    return saved_by_altair(dd.plot.scaling(results), folder)


def a_plot_of_a_run(results, folder):
    run = dd.simulate(dd.MetaBosse(2, 600), hostile_world(), points=5)
    return saved_by_altair(dd.plot.timeline(run), folder)


def saved_by_altair(chart, folder):
    chart.save(str(folder / "plot.html"), format="html", inline=True)
    return folder / "plot.html"


WAYS = (
    a_report,
    a_reproduction,
    a_benchmark,
    a_figure_of_scores,
    a_figure_of_regret,
    a_figure_of_somebody_else,
    a_plot_of_regret,
    a_plot_of_growth,
    a_plot_of_a_run,
)


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def shown(request, chromium, results, tmp_path):
    with chromium.new_context(offline=True, viewport={"width": 1100, "height": 900}) as context:
        opened = Opened(context.new_page())
        opened.file = request.param(results, tmp_path)
        opened.page.goto(opened.file.as_uri())
        opened.page.locator("svg.marks, canvas.marks").first.wait_for()
        yield opened


def is_harmless(shown):
    assert shown.page.evaluate("window.hacked") is None
    assert shown.page.locator("img").count() == 0
    assert shown.complaints == []
    assert shown.requests == [shown.file.as_uri()]


def test_a_label_is_text_wherever_it_is_written(shown):
    is_harmless(shown)
    words = shown.page.evaluate("document.body.innerText + document.body.textContent")
    assert "{{7*7}}" in words
    assert "&lt;" in words


def test_a_label_is_text_under_the_pointer(shown):
    marks = shown.page.locator("svg .mark-symbol path, svg .mark-rect path").filter(visible=True)
    for n in {0, marks.count() - 1} if marks.count() else ():
        marks.nth(n).hover(force=True)
        shown.page.wait_for_timeout(100)
    is_harmless(shown)


@pytest.mark.parametrize("way", ["page", "figure"])
def test_characters_that_cannot_be_printed_do_no_harm(chromium, results, tmp_path, way):
    file = tmp_path / "page.html"
    if way == "page":
        document = compose(results)
        words = {"title": UNPRINTABLE, "facts": UNPRINTABLE, "findings": [UNPRINTABLE]}
        figures = [replace(figure, description=UNPRINTABLE) for figure in document.figures]
        write_page(replace(document, **words, figures=figures, spec=UNPRINTABLE[:-1]), file)
    else:
        import altair as alt

        data = alt.InlineData(values=[{"x": 1, "label": UNPRINTABLE}])
        chart = alt.Chart(data, title=UNPRINTABLE).mark_point().encode(x="x:Q", y="label:N")
        save_figure(chart, tmp_path, "page", ["html"])
    with chromium.new_context(offline=True) as context:
        opened = Opened(context.new_page())
        opened.file = file
        opened.page.goto(file.as_uri())
        opened.page.locator("svg.marks, canvas.marks").first.wait_for()
        is_harmless(opened)
        assert "tea" in opened.page.evaluate("document.body.textContent")

from __future__ import annotations

import pytest

NARROW = {"width": 360, "height": 740}

BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 29)"}
INK = {"light": "#222222", "dark": "#E6E6E6"}


def ink(opened):
    """The colours of the labels of all axes shown."""
    return opened.page.evaluate(
        """() => [...new Set([...document.querySelectorAll(".chart svg .role-axis-label text")]
            .filter((text) => !text.closest("[hidden]"))
            .map((text) => text.getAttribute("fill").toUpperCase()))]"""
    )


def test_every_figure_is_drawn_and_nothing_is_complained_about(opened, report):
    shown = opened()
    figures = shown.figures()
    assert len(figures) >= 5
    for figure in figures:
        assert figure["width"] > 200
        assert figure["height"] > 60
        assert figure["marks"] > 0
        assert figure["label"]
    assert shown.complaints == []
    assert shown.requests == [report.as_uri()]


def test_hovering_over_a_curve_shows_its_numbers(opened):
    page = opened().page
    points = page.locator("figure[id^=regret] .chart svg .mark-symbol path").filter(visible=True)
    points.nth(points.count() // 2).hover(force=True)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert "mean regret" in tooltip.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_follow_the_system_and_the_button_changes_them(opened, scheme):
    shown = opened(color_scheme=scheme)
    other = "dark" if scheme == "light" else "light"
    assert shown.page.evaluate(BACKGROUND) == GROUND[scheme]
    shown.wait_until_drawn(scheme)
    assert ink(shown) == [INK[scheme]]
    button = shown.page.get_by_role("button", name=f"{other} colours")
    button.focus()
    shown.page.keyboard.press("Enter")
    shown.wait_until_drawn(other)
    assert shown.page.evaluate(BACKGROUND) == GROUND[other]
    assert ink(shown) == [INK[other]]
    assert shown.complaints == []


def test_a_narrow_screen_needs_no_scrolling_sideways(opened):
    shown = opened(viewport=NARROW, is_mobile=True, has_touch=True)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    for figure in shown.figures():
        assert 200 < figure["width"] <= NARROW["width"]
    size = shown.page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert size >= 16
    assert shown.complaints == []


def test_on_a_narrow_screen_the_numbers_stay_on_it(opened):
    page = opened(viewport=NARROW).page
    points = page.locator("figure[id^=regret] .chart svg .mark-symbol path").filter(visible=True)
    for n in (0, points.count() - 1):
        points.nth(n).hover(force=True)
        box = page.locator("#vg-tooltip-element.visible").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW["width"]
        assert box["y"] + box["height"] <= NARROW["height"]


def test_turning_a_phone_draws_the_figures_in_the_new_width(opened):
    shown = opened(viewport=NARROW)
    shown.page.set_viewport_size({"width": 740, "height": 360})
    shown.page.wait_for_function(
        """() => [...document.querySelectorAll("figure[id^=regret] .chart svg")]
            .filter((svg) => !svg.closest("[hidden]"))
            .every((svg) => svg.getBoundingClientRect().width > 600)"""
    )
    shown.wait_until_drawn()
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 740
    assert shown.complaints == []


@pytest.mark.parametrize(("form", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_a_figure_can_be_saved(opened, tmp_path, form, begins):
    page = opened(accept_downloads=True).page
    with page.expect_download() as waiting:
        page.locator(f"button[data-save={form}]").first.click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    assert file.suffix == f".{form}"
    assert file.read_bytes().startswith(begins)


def test_the_summary_can_be_saved(opened, tmp_path):
    page = opened(accept_downloads=True).page
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Save summary.csv").click()
    waiting.value.save_as(tmp_path / "summary.csv")
    assert (tmp_path / "summary.csv").read_text().startswith("stream,criterion,learner,runs,mean,")


def test_everything_that_does_something_is_reached_by_the_tab_key(opened):
    page = opened().page
    wanted = page.locator("a[href], button, select, [tabindex='0']").filter(visible=True).count()
    reached = set()
    for _ in range(wanted + 1):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => {
                    const all = [...document.querySelectorAll("*")];
                    return all.indexOf(document.activeElement);
                }"""
            )
        )
    assert len(reached) >= wanted


def test_each_stream_can_be_chosen_and_is_drawn(opened):
    shown = opened()
    chooser = shown.page.locator("#stream")
    articles = shown.page.locator("article")
    if articles.count() == 1:
        assert chooser.count() == 0
        return
    for n in range(articles.count()):
        assert [articles.nth(k).is_visible() for k in range(articles.count())] == [
            k == n for k in range(articles.count())
        ]
        assert all(figure["marks"] > 0 for figure in shown.figures())
        shown.page.get_by_role("button", name="Next").click()
        shown.wait_until_drawn()
    assert articles.nth(0).is_visible()
    chooser.select_option(index=2)
    shown.wait_until_drawn()
    assert articles.nth(2).is_visible()
    assert shown.complaints == []

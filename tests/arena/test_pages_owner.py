"""The owner's page over HTTP: what it says and when, its forms, and what it never shows."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import polars as pl
import pytest

from driftduel.arena import service as arena
from driftduel.arena.crowd import DRINKS, Days, Question, feed
from driftduel.arena.states import packed, unpacked
from driftduel.arena.status import status_of
from driftduel.arena.web.pages.figures import Bar, standing_of, standings_of, timeline_of
from driftduel.verdict import text
from driftduel.verdict.parts import plain, to_html
from driftduel.verdict.standing import Change, Event, Moment
from tests.arena.images import png
from tests.arena.pages import pages_of, words_of
from tests.arena.voting import prefer, vote

DAY = 86_400_000_000


@pytest.fixture
def owner(site):
    """A browser in which the owner is logged in."""
    with site.browser() as opened:
        opened.post("/drinks/owner", data={"token": site.made.owner_token})
        yield opened


def post(owner, path, **data):
    return owner.post(f"/drinks/owner{path}", data=data, follow_redirects=False)


def settings(**changed):
    known = {"title": "Drinks", "question": "Which is nicer?", "blind": "on", "ties": "on"}
    return {name: value for name, value in {**known, **changed}.items() if value is not None}


def the(page, part):
    """Return the words of a part of the page."""
    text = page.text if hasattr(page, "text") else page
    found = re.search(f'<section data-part id="{part}".*?</section>', text, re.DOTALL).group()
    return " ".join(re.sub("<[^>]*>", " ", found).split())


def test_before_the_first_vote_the_page_shows_the_link_to_send(site, owner):
    page = owner.get("/drinks/owner")
    assert the(page, "sentence") == "Nobody has voted yet."
    assert "Send this link" in the(page, "facts")
    assert f'value="{site.address}/drinks"' in page.text
    for hidden in ("timeline", "arms", "health"):
        assert re.search(f'id="{hidden}"[^>]* hidden', page.text)


def test_from_the_first_votes_on_the_page_says_what_is_likely(site, owner):
    prefer(site.service, "tea", 10)
    page = owner.get("/drinks/owner")
    words = the(page, "sentence")
    assert re.match(r"tea (may be|is probably|is very likely) best now \(\d\d%\)", words)
    assert words.endswith(
        "Noticed and proved so far: After 10 votes it is too early to name a leader."
    )
    assert "compared 30 times" in the(page, "facts")
    assert "of 30 random comparisons" in the(page, "arms")
    assert len(re.findall('class="interval', page.text)) == 3  # a band for every option
    assert re.search('id="timeline"[^>]* hidden', page.text)  # too few votes for a picture
    assert "too few votes to say" in the(page, "health").lower()


def test_what_is_not_decided_is_said_with_the_rivals_and_the_votes_it_takes(site, owner):
    close = Question("drinks", "", "", {"tea": 0.6, "coffee": 0.1, "milk": -0.9}, {})
    feed(site.service, close, Days(2, 0, 150, time.time_ns() // 1000), 3)
    now = arena.status(site.service, "drinks")
    assert (now.standing.enough, now.decided) == (True, False)
    words = the(owner.get("/drinks/owner"), "sentence")
    assert f"{now.best} leads since" in words
    assert re.search(r"not yet decided against [\w ]+ : about [\d,]+ to [\d,]+ more votes", words)
    assert "is best" not in words


def test_after_options_changed_the_leader_is_named_and_a_newcomer_is_judged_apart(site, owner):
    prefer(site.service, "tea", 250)
    sure = r"tea is best on average since the first vote \( [\w :,]+ \)\."
    assert re.match(sure, the(owner.get("/drinks/owner"), "sentence"))
    arena.change_arms(site.service, "drinks", add=["cocoa"])
    words = the(owner.get("/drinks/owner"), "sentence")
    came = r"cocoa joined .* and has 0 votes: too early to judge it\."
    assert re.fullmatch(f"{sure} {came}.*", words)
    assert "too early to judge it." in arena.status(site.service, "drinks").text
    arena.change_arms(site.service, "drinks", pause=["cocoa"])
    assert re.match(sure, the(owner.get("/drinks/owner"), "sentence"))
    arena.change_arms(site.service, "drinks", pause=["milk"])
    assert re.match(sure, the(owner.get("/drinks/owner"), "sentence"))
    arena.change_arms(site.service, "drinks", resume=["milk"])
    assert re.match(sure, the(owner.get("/drinks/owner"), "sentence"))


def test_pausing_and_resuming_change_nothing_that_was_likely(site):
    prefer(site.service, "tea", 120)
    before = arena.status(site.service, "drinks").told.to_dict()
    arena.change_arms(site.service, "drinks", pause=["tea"])
    paused = arena.status(site.service, "drinks").told.to_dict()
    assert paused["best"] != "tea"
    assert paused["timeline"][0] == before["timeline"][0]
    arena.change_arms(site.service, "drinks", resume=["tea"])
    after = arena.status(site.service, "drinks").told.to_dict()
    for known in ("best", "probability", "since", "scores", "prediction", "record"):
        assert after[known] == before[known]


def test_votes_that_are_taken_back_or_excluded_leave_the_story(site):
    prefer(site.service, "tea", 60, voter="ann")
    before = arena.status(site.service, "drinks").told.to_dict()
    prefer(site.service, "milk", 60, voter="bob")
    assert arena.status(site.service, "drinks").told.to_dict() != before
    arena.exclude(site.service, "drinks", site.service.voter("bob"))
    assert arena.status(site.service, "drinks").told.to_dict() == before


def test_only_the_stories_of_the_latest_looks_are_kept(site, monkeypatch):
    monkeypatch.setattr("driftduel.arena.service.service.MOST_LOOKS", 2)
    first, second = site.service.looks(1), site.service.looks(2)
    assert site.service.looks(1) is first
    site.service.looks(3)
    assert site.service.looks(1) is first
    assert site.service.looks(2) is not second


def test_the_story_is_that_of_a_copy_that_was_made_again(site):
    prefer(site.service, "tea", 90)
    hosted = site.service.hosted("drinks")
    known = arena.status(site.service, "drinks").told
    again = status_of(hosted.arena, unpacked(packed(hosted.replica), 1, hosted.replica.rules))
    assert again.told.to_dict() == known.to_dict()
    assert arena.status(site.service, "drinks").told is known  # nothing happened since


def test_groups_of_voters_have_a_page(site, owner, browser):
    assert "There are no groups to compare yet" in words_of(owner.get("/drinks/owner/groups"))
    end = time.time_ns() // 1000
    end -= end % DAY
    early = Question("drinks", "", "", {"tea": 1.5, "coffee": 0.0, "milk": -0.5}, {})
    feed(site.service, early, Days(6, 0, 120, end), 3)
    page = words_of(owner.get("/drinks/owner/groups"))
    assert "New voters and those who came back" in page
    assert re.search(r"By the model tastes of new and of returning voters (do not|differ)", page)
    assert re.search(r"tea (\d|over)", page)
    assert "/drinks/owner/groups" in owner.get("/drinks/owner").text
    strange = browser.get("/drinks/owner/groups", follow_redirects=False)
    assert strange.headers["location"] == "/drinks/owner"
    found = {one.by: one for one in arena.groups(site.service, "drinks")}
    votes = sum(row.votes for row in found["returning"].rows)
    assert votes == arena.status(site.service, "drinks").votes
    assert "context" not in found  # all questions have the same


def test_what_is_decided_is_said_so(site, owner):
    prefer(site.service, "tea", 250)
    assert arena.status(site.service, "drinks").decided
    words = the(owner.get("/drinks/owner"), "sentence")
    assert re.fullmatch(
        r"tea is best on average since the first vote \( \d+ \w+ \d{4}, \d\d:\d\d:\d\d \)\. "
        r"The model gives it over 99%\.",
        words,
    )


def test_the_picture_has_a_band_for_each_option_that_may_be_best(changed):
    with changed.browser() as owner:
        page = owner.post("/drinks/owner", data={"token": changed.made.owner_token})
    told = the(page, "timeline")
    assert "A band is as high as its option was likely to be best" in told
    assert re.search(r"came true in [\d,]+ of [\d,]+ votes", told)
    shown = standing_of(changed.service, "drinks")["bands"]
    assert [era.name for era in shown.eras] == ["Coffee", "Lemonade"]
    assert shown.eras[0].turn is None
    begin, end = shown.eras[1].turn.x, shown.eras[1].turn.x + shown.eras[1].turn.width
    assert begin <= shown.eras[1].bar.x <= end
    assert sum(band.now for band in shown.bands) == pytest.approx(1.0, abs=0.05)
    for band in shown.bands:
        points = re.findall(r"(\d+) (\d+)", band.path)
        assert all(0 <= int(x) <= 1000 and 0 <= int(y) <= 1000 for x, y in points)
        assert points[-1][0] == points[0][0] == "0"
    colours = [band.colour for band in shown.bands if band.colour is not None]
    assert len(set(colours)) == len(colours)


@pytest.fixture
def changed(tmp_path):
    """A site whose voters changed their minds three days ago."""
    with pages_of(tmp_path, DRINKS.arms) as opened:
        feed(opened.service, DRINKS, Days(5, 3, 200, time.time_ns() // 1000), 1)
        yield opened


def test_after_a_change_the_page_names_both_and_when(changed):
    with changed.browser() as owner:
        page = owner.post("/drinks/owner", data={"token": changed.made.owner_token})
        now = arena.status(changed.service, "drinks")
        (change,) = now.standing.changes
        names = [one.name for one in now.arms]
        assert (names[change.before], names[change.after]) == DRINKS.favourites
        words = the(page, "sentence")
        assert re.search("Lemonade (is best|leads) since about", words)
        assert "; Coffee was until then" in words
        told = the(page, "timeline")
        assert "Lemonade took over from Coffee between" in told
        for at in (change.around, change.earliest, change.latest, change.noticed):
            assert f'datetime="{stamp(at.value)}"' in page.text
        assert "votes for the left card" in the(page, "health")


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at // 1_000_000))


def test_the_parts_are_sent_again_when_something_happened(site, owner):
    prefer(site.service, "tea", 40)
    page = owner.get("/drinks/owner")
    (tag,) = re.findall('data-tag="([^"]+)"', page.text)
    same = owner.get("/drinks/owner/now", headers={"If-None-Match": f'"{tag}"'})
    assert (same.status_code, same.content) == (304, b"")
    vote(site.service)
    fresh = owner.get("/drinks/owner/now", headers={"If-None-Match": f'"{tag}"'})
    assert fresh.status_code == 200
    assert fresh.headers["etag"] != f'"{tag}"'
    assert "41 votes" in the(fresh, "facts")
    parts = re.findall('data-part id="([a-z]+)"', fresh.text)
    assert parts == ["sentence", "facts", "timeline", "arms", "health", "offered"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/now"), ("GET", "/votes.csv"), ("GET", "/votes.parquet"), ("POST", "/options"),
        ("POST", "/offer"), ("POST", "/settings"), ("POST", "/state"), ("POST", "/tokens"),
        ("POST", "/revoke"), ("POST", "/voter"), ("POST", "/options/tea/name"),
        ("POST", "/options/tea/card"), ("POST", "/options/tea/uncard"),
    ],
)  # fmt: skip
def test_nothing_works_for_strangers_or_from_other_sites(site, owner, method, path):
    head = arena.status(site.service, "drinks").head
    with site.browser() as stranger:
        answer = stranger.request(method, f"/drinks/owner{path}", follow_redirects=False)
        assert answer.status_code == 401
    if method == "POST":
        evil = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
        answer = owner.post(f"/drinks/owner{path}", headers=evil)
        assert answer.status_code == 403
    assert arena.status(site.service, "drinks").head == head
    assert len(arena.tokens(site.service, "drinks")) == 2


def test_options_join_pause_and_come_back(site, owner):
    answer = post(owner, "/options", names="cocoa\r\n\r\n  mate ")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/drinks/owner?at=options#options",
    )
    post(owner, "/offer", arm="tea", to="pause")
    now = arena.status(site.service, "drinks")
    assert [(arm.name, arm.offered) for arm in now.arms] == [
        ("tea", False), ("coffee", True), ("milk", True), ("cocoa", True), ("mate", True),
    ]  # fmt: skip
    vote(site.service)
    told = the(owner.get("/drinks/owner"), "timeline")
    assert "cocoa and mate joined" in told
    assert "tea was paused" in told
    post(owner, "/offer", arm="tea", to="resume")
    assert arena.status(site.service, "drinks").arms[0].offered


def test_what_is_refused_is_said_beside_the_form_and_nothing_typed_is_lost(site, owner):
    answer = post(owner, "/options", names="cocoa\ntea")
    assert answer.status_code == 409
    assert "Two arms would be called &#39;tea&#39;." in answer.text
    assert "cocoa\ntea</textarea>" in answer.text
    answer = post(owner, "/settings", **settings(cap="many", question="Still <here>?", ties=None))
    assert answer.status_code == 422
    assert "Votes of a voter that count on a day: must be a whole number." in answer.text
    assert 'value="Still &lt;here&gt;?"' in answer.text
    assert not re.search('name="ties"[^>]* checked', answer.text)
    answer = post(owner, "/settings", **settings(origins="example.org"))
    assert "is not allowed" in answer.text
    assert "example.org</textarea>" in answer.text
    answer = post(owner, "/tokens", role="king", label="for <me>")
    assert 'value="for &lt;me&gt;"' in answer.text
    answer = post(owner, "/options/tea/name", name="coffee")
    assert answer.status_code == 409
    assert 'value="coffee"' in answer.text
    answer = post(owner, "/options/tea/card", kind="image", body="typed", context="so")
    assert (answer.status_code, "Choose an image." in answer.text) == (422, True)
    assert "typed</textarea>" in answer.text
    assert arena.status(site.service, "drinks").head == 1


def test_settings_change_and_voting_closes_and_opens(site, owner):
    sent = settings(cap="20", ties=None, public="on", origins="https://a.example https://b.example")
    assert post(owner, "/settings", **sent).status_code == 303
    found = arena.describe(site.service, "drinks").arena
    assert (found.settings.cap, found.settings.ties, found.settings.public) == (20, False, True)
    assert found.settings.origins == ("https://a.example", "https://b.example")
    post(owner, "/settings", **settings(cap=""))
    assert arena.describe(site.service, "drinks").arena.settings.cap is None
    post(owner, "/state", to="closed")
    assert "Voting is closed" in the(owner.get("/drinks/owner"), "facts")
    post(owner, "/state", to="open")
    assert arena.describe(site.service, "drinks").arena.status == "open"
    assert post(owner, "/state", to="ajar").status_code == 422


def test_results_are_public_when_the_owner_says_so(site, owner):
    assert site.plain.get("/drinks/results").status_code == 403
    post(owner, "/settings", **settings(public="on"))
    assert site.plain.get("/drinks/results").status_code == 200
    post(owner, "/settings", **settings())
    assert site.plain.get("/drinks/results").status_code == 403


def test_a_token_is_shown_once_and_can_be_revoked(site, owner):
    page = post(owner, "/tokens", role="read", label="dashboard")
    (token,) = re.findall("read_[A-Za-z0-9_-]{32}", page.text)
    assert page.headers["cache-control"] == "no-store"
    headers = {"Authorization": f"Bearer {token}"}
    assert site.api.get("/arenas/drinks/status", headers=headers).status_code == 200
    assert token not in owner.get("/drinks/owner").text
    (made,) = [one for one in arena.tokens(site.service, "drinks") if one.label == "dashboard"]
    post(owner, "/revoke", token=made.id)
    assert "dashboard" not in words_of(owner.get("/drinks/owner"))
    (mine,) = [one for one in arena.tokens(site.service, "drinks") if one.role == "owner"]
    answer = post(owner, "/revoke", token=mine.id)
    assert "This is the only token of an owner" in answer.text


def test_odd_voters_are_excluded_and_included(site, owner):
    for _ in range(30):
        vote(site.service, "left", "bot")
    bot = site.service.voter("bot")
    told = the(owner.get("/drinks/owner"), "health")
    assert "30 of 30 votes for the left card; 30 of 30 votes in less than 0.4 s Exclude" in told
    post(owner, "/voter", voter=bot, to="exclude")
    assert arena.status(site.service, "drinks").votes == 0
    told = the(owner.get("/drinks/owner"), "health")
    assert "excluded" in told
    assert "Include" in told
    post(owner, "/voter", voter=bot, to="include")
    assert arena.status(site.service, "drinks").votes == 30
    assert post(owner, "/voter", voter="0" * 32, to="exclude").status_code == 404


def test_an_option_has_a_page_for_its_name_and_cards(site, owner):
    answer = post(owner, "/options/tea/name", name="Green tea")
    assert answer.headers["location"] == "/drinks/owner/options/tea"
    post(owner, "/options/tea/card", kind="markdown", body="*hot* <b>", context="breakfast")
    post(owner, "/options/tea/card", kind="text", body="2 < 3")
    page = owner.get("/drinks/owner/options/tea")
    assert "<h1>Green tea</h1>" in page.text
    assert "<em>hot</em> &lt;b&gt;" in page.text
    assert "2 &lt; 3" in page.text
    files = {"image": ("x.png", png(), "image/png")}
    data = {"kind": "image", "context": "breakfast"}
    owner.post("/drinks/owner/options/tea/card", data=data, files=files)
    kinds = {name: card.kind for name, card in arena.cards(site.service, "drinks")["tea"].items()}
    assert kinds == {"": "text", "breakfast": "image"}
    (address,) = re.findall('src="(/api/v1/images/[^"]+)"', owner.get(page.url).text)
    assert owner.get(address).content == png()
    bad = {"image": ("x.png", b"<svg onload=alert(1)>", "image/png")}
    answer = owner.post("/drinks/owner/options/tea/card", data=data, files=bad)
    assert "The image must be PNG, JPEG, GIF or WebP." in answer.text
    huge = {"image": ("x.png", png() + bytes(5 * 2**20), "image/png")}
    answer = owner.post("/drinks/owner/options/tea/card", data=data, files=huge)
    assert "must have 5,242,880 at most" in answer.text
    assert 'value="breakfast"' in answer.text
    post(owner, "/options/tea/uncard", context="breakfast")
    assert list(arena.cards(site.service, "drinks")["tea"]) == [""]
    assert owner.get("/drinks/owner/options/nix").status_code == 404
    with site.browser() as stranger:
        assert "owner's key" in words_of(stranger.get("/drinks/owner/options/tea"))


def test_votes_are_exported_from_the_page(site, owner):
    vote(site.service)
    vote(site.service, "skip")
    assert len(owner.get("/drinks/owner/votes.csv").text.splitlines()) == 2
    assert len(owner.get("/drinks/owner/votes.csv?all=true").text.splitlines()) == 3
    assert owner.get("/drinks/owner/votes.parquet").content[:4] == b"PAR1"


def test_a_hostile_name_is_text_everywhere(tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    with pages_of(tmp_path, [evil, "tea"]) as site, site.browser() as owner:
        arena.change_arena(site.service, "drinks", {"title": evil, "question": evil})
        prefer(site.service, evil, 80)
        arena.change_arms(site.service, "drinks", pause=[evil], add=["milk"])
        page = owner.post("/drinks/owner", data={"token": site.made.owner_token})
        option = owner.get(
            f"/drinks/owner/options/{arena.status(site.service, 'drinks').arms[0].slug}"
        )
        for text in (page.text, option.text):
            assert "<img src=x" not in text
            assert "&lt;img src=x" in text
            assert not re.search(r"<script(?! src=)|<style| style=| on[a-z]+=\"", text)


def test_with_fewer_than_two_options_the_page_says_that_nobody_can_vote(site, owner):
    vote(site.service)
    arena.change_arms(site.service, "drinks", pause=["tea", "milk"])
    page = owner.get("/drinks/owner")
    assert "Nobody can vote: fewer than two options are offered." in the(page, "facts")


def standing_with(site, **changes):
    return replace(arena.status(site.service, "drinks").standing, **changes)


def time_of(days):
    return Moment.time(days * DAY)


def test_the_command_and_the_api_say_what_the_page_says(site, owner):
    def said():
        page = the(owner.get("/drinks/owner"), "sentence")
        text = site.status()["text"]
        assert bare(text.splitlines()[0]) == bare(page)
        return text

    def bare(words):
        return "".join(words.split())

    assert said() == "Nobody has voted yet."
    prefer(site.service, "tea", 10)
    assert "leads" not in said()
    turning = {"tea": 1.5, "coffee": 0.0, "milk": -0.5}, {"tea": -0.5, "coffee": 0.0, "milk": 1.5}
    end = time.time_ns() // 1000
    feed(site.service, Question("drinks", "", "", *turning), Days(4, 3, 200, end), 3)
    now = arena.status(site.service, "drinks").standing
    assert now.changes
    text = said()
    before, after = (now.options[n].name for n in (now.changes[-1].before, now.changes[-1].after))
    assert f"{after} took over from {before} between" in text or f"{before} lost the lead" in text
    leaders = site.api.get("/arenas/drinks/history", headers=site.owner).json()["leaders"]
    best = now.options[now.best]
    assert (leaders[-1]["name"], leaders[-1]["since"]) == (best.name, site.status()["since"])
    assert f"{best.compared:,} random comparisons; in" in text
    assert re.search(rf"  {best.name}: wins \d+% \(\d+% to \d+%\), best with", text)
    arena.change_arms(site.service, "drinks", pause=["coffee"])
    assert "coffee: paused since" in said()
    assert arena.status(site.service, "drinks").standing.counted_since == now.counted_since
    arena.change_arms(site.service, "drinks", pause=["tea"])
    assert "Fewer than two options" in said()


def test_votes_that_were_imported_are_counted_on_the_page(site, owner):
    when = [f"2026-03-{1 + n % 28:02}T12:00:00" for n in range(40)]
    votes = {"time": when, "left": ["tea"] * 40, "right": ["milk"] * 40, "left_won": [1, 0] * 20}
    arena.import_votes(site.service, "drinks", pl.DataFrame(votes), "uniform")
    assert the(owner.get("/drinks/owner"), "facts").startswith("40 votes")


def test_how_far_an_arm_is_to_be_named_is_that_of_the_one_in_front(site, monkeypatch):
    now = arena.status(site.service, "drinks")
    tea, coffee, milk = now.arms
    arms = (replace(tea, compared=41), replace(coffee, compared=7), milk)
    known = standing_with(site, votes=60, best=1, options=arms, first=time_of(0), last=time_of(1))
    monkeypatch.setattr(arena, "status", lambda *_: replace(now, standing=known))
    with site.browser() as browser:
        page = browser.post("/drinks/owner", data={"token": site.made.owner_token})
    assert "The one in front has 7." in the(page, "facts")


def test_a_page_shows_one_moment_though_arms_come_meanwhile(site, monkeypatch):
    prefer(site.service, "tea", 10)
    before = arena.status(site.service, "drinks")
    arena.change_arms(site.service, "drinks", add=["cocoa"])
    monkeypatch.setattr(arena, "status", lambda *_: before)
    page = standing_of(site.service, "drinks")
    assert [row.name for row in page["timeline"].rows] == ["tea", "coffee", "milk"]
    assert page["timeline"].happened == ()
    assert {line.option.name for line in page["standings"].lines} == {"tea", "coffee", "milk"}


def test_a_timeline_has_leads_ranges_and_arms_that_came_and_went(site):
    change = Change(
        before=0,
        after=2,
        around=time_of(5),
        noticed=time_of(7),
        earliest=time_of(4),
        latest=time_of(6),
    )
    known = arena.status(site.service, "drinks").arms
    arms = tuple(replace(one, compared=40, probability=None) for one in known)
    known = standing_with(
        site,
        options=arms,
        votes=300,
        first=time_of(0),
        last=time_of(10),
        best=2,
        since=time_of(6),
        changes=(change,),
        events=(
            Event(at=time_of(2), paused=(1,)),
            Event(at=time_of(3), renamed=((0, "cocoa", "tea"),)),
            Event(at=time_of(8), resumed=(1,)),
        ),
    )
    found = timeline_of(known)
    rows = {row.name: row for row in found.rows}
    assert rows["milk"].led == (Bar(50.0, 50.0),)
    assert rows["tea"].led == (Bar(0.0, 50.0),)
    assert rows["coffee"].offered == (Bar(0.0, 20.0), Bar(80.0, 20.0))
    assert (rows["milk"].colour, rows["tea"].colour) == (2, 0)  # by place, whoever led
    (mark,) = found.marks
    assert (mark.range, mark.noticed) == (Bar(40.0, 20.0), 70.0)
    assert [one.at for one in found.happened] == [8 * DAY, 5 * DAY, 3 * DAY, 2 * DAY]
    assert [plain(one.sentences[0]) for one in found.happened] == [
        "coffee was resumed 9 Jan 1970, 00:00.",
        "milk took over from tea between 5 Jan 1970, 00:00 and 7 Jan 1970, 00:00, noticed "
        "8 Jan 1970, 00:00.",
        "cocoa was renamed tea 4 Jan 1970, 00:00.",
        "coffee was paused 3 Jan 1970, 00:00.",
    ]
    assert [(tick.x, tick.label) for tick in found.ticks][:2] == [(0.0, "1 Jan"), (20.0, "3 Jan")]


def test_a_timeline_names_no_leader_before_there_is_enough(site):
    known = standing_with(site, votes=9, first=time_of(0), last=time_of(1), best=0)
    assert [row.led for row in timeline_of(known).rows] == [()] * 3


def test_intervals_lie_on_a_scale_that_holds_them_all(site):
    prefer(site.service, "tea", 250)
    now = arena.status(site.service, "drinks")
    found = standings_of(now.standing)
    assert (found.lines[0].option.name, found.lines[0].leads) == ("tea", True)
    drawn = [one.interval for one in found.lines if one.interval is not None]
    for one in drawn:
        assert 0 <= one.range.x <= one.score <= one.range.x + one.range.width <= 100.001
    assert len(drawn) == sum(arm.compared >= 30 for arm in now.arms)


def test_the_page_has_the_sentences_of_the_verdict_and_no_others(site, owner):
    prefer(site.service, "tea", 250)
    known = arena.status(site.service, "drinks").standing
    page = owner.get("/drinks/owner").text
    for one in (*text.headline(known), *text.footing(known), *text.no_change(known)):
        assert to_html(one) in page

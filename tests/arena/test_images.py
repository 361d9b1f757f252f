"""Images lose what their makers wrote into them, and show as many pixels as a browser can."""

from __future__ import annotations

import numpy as np
import pytest

from driftduel.arena import service as arena
from driftduel.arena.errors import Invalid, NotFound
from driftduel.arena.model import Card
from driftduel.arena.service.images import MOST_PIXELS, as_kept
from tests.arena.images import SECRET, chunk, exif, gif, jpeg, png, segment, webp
from tests.arena.voting import damage

PLAIN = {"png": png(), "jpeg": jpeg(), "gif": gif(), "webp": webp()}
ICC = segment(0xE2, b"ICC_PROFILE\0\1\1colours")
TALKING = {
    "png": png(more=chunk(b"tEXt", b"Author\0" + SECRET) + chunk(b"eXIf", exif(1))) + SECRET,
    "jpeg": jpeg(
        before=segment(0xE1, b"Exif\0\0" + exif(1)) + segment(0xFE, SECRET),
        after=SECRET,
    ),
    "gif": gif(more=b"!\xfe" + bytes((len(SECRET),)) + SECRET + b"\0") + SECRET,
    "webp": webp(more=SECRET, flags=0b1100),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_an_image_keeps_how_it_looks_and_loses_what_it_says(kind):
    assert as_kept(PLAIN[kind]) == (f"image/{kind}", PLAIN[kind])
    assert SECRET in TALKING[kind]
    assert as_kept(TALKING[kind]) == (f"image/{kind}", PLAIN[kind])


@pytest.mark.parametrize("kind", PLAIN)
def test_what_an_earlier_version_kept_with_all_it_says_is_shown_without(drinks, kind):
    arena.set_card(drinks, "drinks", "tea", Card("image", ""), image=PLAIN[kind])
    (card,) = arena.cards(drinks, "drinks")["tea"].values()
    damage(drinks, "UPDATE blob SET bytes = :bytes", bytes=TALKING[kind])
    assert arena.image_of(drinks, card.blob) == (f"image/{kind}", PLAIN[kind])
    damage(drinks, "UPDATE blob SET bytes = :bytes", bytes=b"no image")
    with pytest.raises(NotFound, match="set it again"):
        arena.image_of(drinks, card.blob)


def test_between_the_scans_of_a_jpeg_nothing_is_said_either():
    told = as_kept(jpeg(between=segment(0xFE, SECRET)))[1]
    assert SECRET not in told
    assert told.count(b"pixels") == 2


def test_a_picture_stays_the_right_way_up_and_keeps_its_colours():
    told = as_kept(jpeg(before=ICC + segment(0xE1, b"Exif\0\0" + exif(6))))[1]
    assert SECRET not in told
    assert ICC in told
    assert told[2:4] == b"\xff\xe1"
    assert as_kept(told)[1] == told  # what it says of its side is read again
    for nonsense in (b"", b"II*\0\xff\xff\xff\xff", b"XX*\0" + bytes(8), exif(9)):
        plain = as_kept(jpeg(before=segment(0xE1, b"Exif\0\0" + nonsense)))[1]
        assert plain == jpeg()


def test_an_image_without_its_end_is_kept_with_one():
    assert as_kept(gif()[:-1]) == ("image/gif", gif())
    assert as_kept(jpeg()[:-2])[1] == jpeg()


def test_an_animation_stays_one():
    loop = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    told = gif(more=loop + b"!\xff\x0bXMP DataXMP\x04" + SECRET[:4] + b"\0")
    assert as_kept(told)[1] == gif(more=loop)
    frames = chunk(b"acTL", bytes(8)) + chunk(b"fcTL", bytes(26))
    assert as_kept(png(more=frames))[1] == png(more=frames)


@pytest.mark.parametrize("make", [png, jpeg, gif, webp])
def test_an_image_of_very_many_pixels_is_refused(make):
    as_kept(make(8_000, 5_000))
    with pytest.raises(Invalid, match=f"8,000 by 5,001 pixels, must have 1 to {MOST_PIXELS:,}"):
        as_kept(make(8_000, 5_001))


@pytest.mark.parametrize("kind", PLAIN)
def test_a_damaged_image_is_refused_or_kept_but_breaks_nothing(kind):
    rng = np.random.default_rng(7)
    whole = TALKING[kind]
    damaged = [whole[:n] for n in range(len(whole))]
    for _ in range(1_500):
        broken = bytearray(whole)
        for place in rng.integers(0, len(whole), rng.integers(1, 4)):
            broken[place] = rng.integers(0, 256)
        damaged.append(bytes(broken))
    refused = 0
    for image in damaged:
        try:
            kind_now, kept = as_kept(image)
        except Invalid as error:
            refused += "image" in str(error)
        else:
            assert as_kept(kept) == (kind_now, kept)
    assert refused > 100


@pytest.mark.parametrize("image", [b"", b"<svg/>", b"BM1234", b"\0\0\0 ftypavif"])
def test_of_other_types_none_is_kept(image):
    with pytest.raises(Invalid, match="must be PNG, JPEG, GIF or WebP"):
        as_kept(image)

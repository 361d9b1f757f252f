"""Images as they are kept: of four types, of a size that browsers can show, and without metadata.

Who took a picture, where, and with which program says more about an option than a blind poll may.
So of the parts of a file those stay that say how it looks: pixels, palette, colours, animation, and
of a JPEG also which side is up.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from driftduel.arena.errors import Invalid
from driftduel.arena.model import MOST_IMAGE

MOST_PIXELS = 40_000_000
"""Pixels of an image: few bytes can hold very many, and who looks at it needs four for each."""

_DAMAGED = "the image is damaged"
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_LOOKS = frozenset(
    (b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
     b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT", b"cICP")
)  # fmt: skip
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WEBP_LOOKS = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP"))
_WEBP_SAYS = 0b1100
"""The flags of a WebP that say it has EXIF and XMP."""


def as_kept(image: bytes) -> tuple[str, bytes]:
    """Return the type of an image, by its bytes, and the image without metadata.

    Raises
    ------
    Invalid
        If it is of another type, damaged, or too large.
    """
    if len(image) > MOST_IMAGE:
        raise Invalid(f"the image has {len(image):,} bytes, must have {MOST_IMAGE:,} at most")
    kind, (width, height), kept = _looks(image)
    if not 1 <= width * height <= MOST_PIXELS:
        raise Invalid(
            f"the image has {width:,} by {height:,} pixels, must have 1 to {MOST_PIXELS:,} in all"
        )
    return kind, kept


def without_metadata(image: bytes) -> bytes:
    """Return an image as it may be shown: earlier versions kept all that was in the file.

    Raises
    ------
    Invalid
        If nobody can tell what of it is metadata.
    """
    return _looks(image)[2]


def _looks(image: bytes) -> tuple[str, Size, bytes]:
    """Return type, size and looks of an image."""
    try:
        if image.startswith(_PNG):
            return "image/png", *_png(image)
        if image.startswith(b"\xff\xd8\xff"):
            return "image/jpeg", *_jpeg(image)
        if image[:6] in (b"GIF87a", b"GIF89a"):
            return "image/gif", *_gif(image)
        if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
            return "image/webp", *_webp(image)
    except (IndexError, struct.error):
        raise Invalid(_DAMAGED) from None
    raise Invalid("the image must be PNG, JPEG, GIF or WebP")


Size = tuple[int, int]


def _png(image: bytes) -> tuple[Size, bytes]:
    """Return size and looks of a PNG: chunks of a length, a name, the content and a checksum."""
    kept = [_PNG]
    place, name = len(_PNG), b""
    while name != b"IEND":
        (length,) = struct.unpack_from(">I", image, place)
        name, end = image[place + 4 : place + 8], place + 12 + length
        if end > len(image):
            raise Invalid(_DAMAGED)
        if name in _PNG_LOOKS:
            kept.append(image[place:end])
        place = end
    if kept[1][4:8] != b"IHDR":
        raise Invalid(_DAMAGED)
    width, height = struct.unpack_from(">II", kept[1], 8)
    return (width, height), b"".join(kept)


def _jpeg(image: bytes) -> tuple[Size, bytes]:
    """Return size and looks of a JPEG: segments until the picture, which ends the file."""
    kept, size, way_up = [image[:2]], None, 1
    for marker, segment in _segments(image):
        if marker == 0xDA:  # of what follows all is pixels
            kept.append(_scans(segment))
            break
        if marker in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", segment, 5)
            size = (width, height)
        if marker == 0xE1 and segment[4:10] == b"Exif\0\0":
            way_up = _way_up(segment[10:])
        says = 0xE0 <= marker <= 0xEF or marker == 0xFE
        if not says or marker in (0xE0, 0xEE) or segment[4:16] == b"ICC_PROFILE\0":
            kept.append(segment)
    else:
        raise Invalid(_DAMAGED)
    if size is None:
        raise Invalid(_DAMAGED)
    if way_up != 1:
        kept.insert(1, _exif(way_up))
    return size, b"".join(kept)


def _segments(image: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield marker and bytes of the segments of a JPEG; the first of the picture has all after."""
    place = 2
    while place < len(image):
        if image[place] != 0xFF:
            raise Invalid(_DAMAGED)
        marker = image[place + 1]
        if marker == 0xFF:  # a filling byte
            place += 1
            continue
        (length,) = struct.unpack_from(">H", image, place + 2)
        end = len(image) if marker == 0xDA else place + 2 + length
        if length < 2 or end > len(image):
            raise Invalid(_DAMAGED)
        yield marker, image[place:end]
        place = end


def _scans(rest: bytes) -> bytes:
    """Return a picture from its first scan on, without what is said between scans and after it."""
    kept: list[bytes] = []
    place = 0
    while True:
        marker = rest[place + 1]
        if marker == 0xD9:
            return b"".join([*kept, rest[place : place + 2]])
        if marker == 0xFF:
            place += 1
            continue
        (length,) = struct.unpack_from(">H", rest, place + 2)
        end = place + 2 + length
        if marker == 0xDA:
            while rest[end] != 0xFF or rest[end + 1] == 0 or 0xD0 <= rest[end + 1] <= 0xD7:
                following = rest.find(b"\xff", end + 1)
                if following < 0:
                    return b"".join([*kept, rest[place:], b"\xff\xd9"])  # browsers show such too
                end = following
        if not 0xE0 <= marker <= 0xEF and marker != 0xFE:
            kept.append(rest[place:end])
        if end + 1 >= len(rest) or rest[end] != 0xFF or length < 2:
            raise Invalid(_DAMAGED)
        place = end


def _way_up(exif: bytes) -> int:
    """Return which side of a picture is up by its EXIF, 1 if that does not say."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    try:
        (place,) = struct.unpack_from(f"{order}I", exif, 4)
        (n,) = struct.unpack_from(f"{order}H", exif, place)
        for start in range(place + 2, place + 2 + 12 * min(n, 512), 12):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", exif, start)
            if (tag, kind) == (0x112, 3):
                return int(value) if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def _exif(way_up: int) -> bytes:
    """Return a segment of EXIF that says which side is up and nothing else."""
    tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, way_up, 0, 0)
    content = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content


def _gif(image: bytes) -> tuple[Size, bytes]:
    """Return size and looks of a GIF: blocks, of which extensions may say something."""
    width, height, flags = struct.unpack_from("<HHB", image, 6)
    place = 13 + _colours(flags)
    kept = [image[:place]]
    frames = 0
    while place < len(image) and image[place] != 0x3B:  # some have no end
        start = place
        if image[place] == 0x2C:
            wide, high, flags = struct.unpack_from("<HHB", image, place + 5)
            width, height = max(width, wide), max(height, high)
            place = _after_blocks(image, place + 11 + _colours(flags))
            looks = True
            frames += 1
        elif image[place] == 0x21:
            place = _after_blocks(image, place + 2)
            name = image[start + 3 : start + 14]
            looks = image[start + 1] == 0xF9 or (
                image[start + 1] == 0xFF and name in (b"NETSCAPE2.0", b"ANIMEXTS1.0")
            )
        else:
            raise Invalid(_DAMAGED)
        if looks:
            kept.append(image[start:place])
    if not frames:
        raise Invalid(_DAMAGED)
    return (width, height), b"".join([*kept, b";"])


def _colours(flags: int) -> int:
    """Return the bytes of a table of colours, 0 if there is none."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _after_blocks(image: bytes, place: int) -> int:
    """Return where the blocks that begin at a place end: each says its length, the last has 0."""
    while image[place]:
        place += 1 + image[place]
    return place + 1


def _webp(image: bytes) -> tuple[Size, bytes]:
    """Return size and looks of a WebP: chunks of a name, a length and the content, padded."""
    kept, size, place = [], None, 12
    (whole,) = struct.unpack_from("<I", image, 4)
    last = min(8 + whole, len(image))
    while place + 8 <= last:
        name = image[place : place + 4]
        (length,) = struct.unpack_from("<I", image, place + 4)
        end = place + 8 + length
        if end > last:
            raise Invalid(_DAMAGED)
        content = image[place + 8 : end]
        if name in _WEBP_LOOKS:
            if size is None:
                size = _webp_size(name, content)
            if name == b"VP8X":
                content = bytes([content[0] & ~_WEBP_SAYS]) + content[1:]
            kept.append(name + struct.pack("<I", length) + content + b"\0" * (length % 2))
        place = end + length % 2
    if size is None:
        raise Invalid(_DAMAGED)
    rest = b"WEBP" + b"".join(kept)
    return size, b"RIFF" + struct.pack("<I", len(rest)) + rest


def _webp_size(name: bytes, content: bytes) -> Size | None:
    if name == b"VP8X":
        width = int.from_bytes(content[4:7], "little") + 1
        return width, int.from_bytes(content[7:10], "little") + 1
    if name == b"VP8L":
        (bits,) = struct.unpack_from("<I", content, 1)
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if name == b"VP8 ":
        width, height = struct.unpack_from("<HH", content, 6)
        return width & 0x3FFF, height & 0x3FFF
    return None

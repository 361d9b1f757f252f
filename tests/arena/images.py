"""Small images of all four types, with what their makers wrote into them."""

from __future__ import annotations

import struct
import zlib

SECRET = b"made by the leader"
"""What metadata says, and nobody is to see."""


def chunk(name, content):
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)


def png(width=1, height=1, more=b""):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    rows = zlib.compress((b"\0" + bytes(3 * min(width, 9))) * min(height, 9))
    rest = chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + head + more + rest


def segment(marker, content):
    return bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content


def exif(way_up):
    """The EXIF of a camera: which side is up, and who took the picture."""
    tags = struct.pack("<HHHIHHHHII", 2, 0x112, 3, 1, way_up, 0, 0x13B, 2, len(SECRET), 38)
    return b"II*\0" + struct.pack("<I", 8) + tags + bytes(4) + SECRET


def jpeg(width=1, height=1, before=b"", between=b"", after=b""):
    size = struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0)
    scan = segment(0xDA, bytes((1, 1, 0, 0, 63, 0))) + b"pixels\xff\0\xff\xd0more"
    parts = [segment(0xE0, b"JFIF\0"), before, segment(0xC0, size), scan, between]
    again = [scan] if between else []
    return b"\xff\xd8" + b"".join([*parts, *again]) + b"\xff\xd9" + after


def gif(width=1, height=1, more=b""):
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    picture = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x44\x01\0"
    return head + more + picture + b";"


def webp(width=1, height=1, more=b"", flags=0):
    def riff(name, content):
        return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)

    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    pixels = riff(b"VP8L", b"/" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"pixels")
    rest = riff(b"VP8X", bytes((flags, 0, 0, 0)) + size) + pixels
    rest += riff(b"EXIF", more) + riff(b"XMP ", more) if more else b""
    return b"RIFF" + struct.pack("<I", len(rest) + 4) + b"WEBP" + rest

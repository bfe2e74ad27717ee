"""Reads the PNG files that Godot writes: 8 bits a channel, RGB or RGBA, not interlaced."""

import struct
import zlib

import numpy as np

CHANNELS = {2: 3, 6: 4}


def read_png(path):
    """The picture as an array [height, width, 3] of bytes."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    packed, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, interlaced) == (8, 0)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    step = CHANNELS[colour]
    raw = zlib.decompress(packed)
    rows = [bytearray(width * step)]
    for row in range(height):
        start = row * (width * step + 1)
        rows.append(_unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + width * step]), rows[-1], step))
    return np.frombuffer(b"".join(rows[1:]), np.uint8).reshape(height, width, step)[:, :, :3]


def colours(picture):
    """The distinct colours of a picture."""
    return np.unique(picture.reshape(-1, 3).astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32))


def _unfiltered(kind, line, above, step):
    """A row as it was before the encoder filtered it: it took what the neighbours predict from each byte (PNG, 9.2)."""
    if kind == 1:
        pixels = np.frombuffer(bytes(line), np.uint8).reshape(-1, step)
        return bytearray(np.cumsum(pixels, axis=0, dtype=np.uint8).tobytes())
    if kind == 2:
        return bytearray((np.frombuffer(line, np.uint8) + np.frombuffer(above, np.uint8)).tobytes())
    if kind == 3:
        for index in range(len(line)):
            left = line[index - step] if index >= step else 0
            line[index] = (line[index] + (left + above[index]) // 2) & 255
    if kind == 4:
        for index in range(len(line)):
            left, corner = (line[index - step], above[index - step]) if index >= step else (0, 0)
            up = above[index]
            to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            nearest = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
            line[index] = (line[index] + nearest) & 255
    return line

"""A cover made small enough for a list of articles: 400 pixels wide, WebP. Needs Pillow (`git-okf[images]`)."""

from __future__ import annotations

import io
from importlib.util import find_spec

WIDTH = 400
PIXELS = 60_000_000
"""Of the largest picture that is decoded."""
QUALITY = 80
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


def is_possible() -> bool:
    """Whether Pillow is installed."""
    return find_spec("PIL") is not None


def path_of(cover: str) -> str:
    """The path of the thumbnail of a cover: made of the cover's own, so that it is known without being made."""
    return f"{cover.rpartition('.')[0]}-{WIDTH}w.webp"


def made(data: bytes) -> bytes | None:
    """The same bytes for the same picture and the same version of Pillow; None for what is no picture it can read."""
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if opened.width * opened.height > PIXELS:
                return None
            opened.seek(0)
            upright = ImageOps.exif_transpose(opened)
            picture = upright.convert("RGBA" if upright.mode in ("RGBA", "LA", "PA", "P") else "RGB")
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
    if picture.width > WIDTH:
        height = max(1, round(picture.height * WIDTH / picture.width))
        picture = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=QUALITY, method=4)
    return out.getvalue()

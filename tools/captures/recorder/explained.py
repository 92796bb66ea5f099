# SPDX-License-Identifier: Apache-2.0
"""captures/explained: sessions that fail for a known reason, two captures for each class of failure.

Both sides are the Python peer of tools/peers/iap2, so no byte is from the Swift sources. They are played in virtual
time, so every run writes the same bytes. captures/explained/expected.json states what is right about each capture; it
is written by hand from the protocol documents.
"""
from __future__ import annotations

from .explained_scenes import apps, authentication, features, identification, link  # noqa: F401 (they add scenes)
from .scene import SCENES


def files(_: str) -> dict[str, bytes]:
    """Returns the content of each capture."""
    return {f"explained/{name}.txt": make().text_of(title).encode() for name, (title, make) in SCENES.items()}

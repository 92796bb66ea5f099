# SPDX-License-Identifier: Apache-2.0
"""The values of events, in the spelling of the command `iap2`."""

from __future__ import annotations

STREAMS = {100: "mainAudio", 101: "alternateAudio", 102: "mainHighAudio", 103: "bufferedAudio", 110: "screen",
           111: "alternateScreen", 130: "data"}


def stream(kind: int) -> dict[str, str | int]:
    """Returns the type of a stream: its name, and its number on the wire."""
    return {"type": STREAMS.get(kind, str(kind)), "number": kind}

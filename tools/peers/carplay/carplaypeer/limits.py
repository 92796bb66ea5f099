# SPDX-License-Identifier: Apache-2.0
"""Limits for every size or delay that a peer can cause. Values without a mark are those marked `[o]`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds in bytes, counts or seconds."""

    header: int = 16 * 1024  # #request-limits, a header block with its blank line
    body: int = 1024 * 1024  # #property-lists, one RTSP body
    plist_depth: int = 16  # #property-lists, the root container is 1
    plist_objects: int = 65_536  # #property-lists, after expansion of shared objects
    frame_send: int = 1024  # #frames, what HAP peers accept [A]
    frame_accept: int = 65_535  # #frames, the maximum of a u16
    screen_body: int = 8 * 1024 * 1024  # #video-size [1 L]
    screen_queue: int = 8  # #session-times, "a short queue", in frames
    data_package: int = 1024 * 1024  # #data-package gives no limit; this is the limit of a body
    audio_buffer: int = 8 * 1024 * 1024  # #stream-set-up, audioBufferSize [1 D]
    resend: int = 64  # #audio-packet, packets of one retransmit request
    resend_history: int = 512  # packets the phone keeps for retransmission
    reorder: int = 256  # packets that the head unit stores while one is missing
    replay_window: int = 1024  # nonces remembered below the highest one
    early_commands: int = 64  # #event-channel, commands that wait for RECORD
    wrong_proofs: int = 100  # from this count on, error 5
    connections: int = 8  # concurrent control connections, before one of them has the session

    request_wait: float = 11.0  # #session-times
    info_wait: float = 10.0
    connect_wait: float = 2.0
    live_wait: float = 30.0
    event_hold: float = 2.0  # #event-channel, a stream SETUP waits for the event connection
    event_grace: float = 2.0  # #session-times, wait of the head unit after a lost event connection
    event_answer: float = 5.0  # #session-times [1 L]
    feedback_period: float = 1.0  # #feedback [2 L C]
    feedback_wait: float = 2.0
    feedback_misses: int = 3
    feedback_silence: float = 10.0
    clock_period: float = 1.0  # #clock [2 L B]
    clock_silence: float = 5.0
    heartbeat_period: float = 1.0  # #screen-frame [2 UX C]
    video_stall: float = 5.0  # #session-times
    keep_alive_period: float = 10.0  # #session-times [1 C]
    sync_period: float = 1.0  # #audio-packet

# SPDX-License-Identifier: Apache-2.0
"""Named errors. Each end of a session has exactly one of these names as its cause."""

from __future__ import annotations

CAUSES = {
    # Orderly ends
    "teardown": "the phone ended the session with TEARDOWN",
    "stopped": "this side ended the session",
    # The peer closed a connection
    "controlLost": "the control connection ended without TEARDOWN",
    "eventLost": "the event connection ended",
    "streamLost": "the connection of a stream ended",
    # Silence, limits of #session-times, #feedback, #clock and #states
    "requestTimeout": "a request was not answered in time",
    "feedbackSilent": "no request arrived while a stream ran, or no /feedback was answered",
    "clockSilent": "nothing of the peer arrived in a session with a clock",
    "videoStalled": "the head unit does not read the screen stream",
    "setupTimeout": "the session did not go live in time",
    # Bytes that break a layout
    "badTLV": "a body is not TLV8",
    "badPlist": "a body is not a binary plist within the limits",
    "badValue": "a value of a request or of an answer is missing or wrong",
    "badRequest": "a start line, header or length is malformed",
    "tooLarge": "an announced body is over the limit",
    "badFrame": "a frame of an encrypted channel has a wrong tag",
    "badScreen": "a message of the screen stream is malformed or has a wrong tag",
    "badBuffered": "a frame of the buffered audio stream is malformed or has a wrong tag",
    "badData": "a package of the data stream is malformed",
    "badInfo": "the answer to /info lacks what a phone needs",
    "badAnswer": "an answer lacks what it must hold, or nothing was asked",
    # Pairing and authentication
    "badProof": "the SRP proof of the peer is wrong",
    "badPublicKey": "a public key of the peer has no valid value",
    "badSignature": "a signature of the peer is wrong",
    "badTag": "an encrypted item of pairing has a wrong tag",
    "unknownPeer": "the identifier of the peer is not paired",
    "pairingRefused": "the head unit answered pairing with an error",
    "tooManyTries": "the head unit answered error 5 after too many wrong proofs",
    "badCertificate": "the certificate of the head unit is not trusted",
    # Refusals by status
    "refused": "the peer answered a request with an error status",
    "busy": "the head unit answered 453 because another session runs",
    "notPaired": "the head unit answered 403 because it demands pairing",
    "internal": "this program has an error",
}


class Problem(Exception):
    """An error with one of the names of `CAUSES` and a detail for people. The detail contains no secret."""

    def __init__(self, cause: str, detail: str = "", status: int = 400):
        if cause not in CAUSES:
            raise ValueError(f"unknown cause {cause}")
        super().__init__(f"{cause}: {detail or CAUSES[cause]}")
        self.cause = cause
        self.detail = detail or CAUSES[cause]
        self.status = status  # status of an RTSP server's answer, if it still answers

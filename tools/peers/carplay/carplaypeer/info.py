# SPDX-License-Identifier: Apache-2.0
"""The answer to /info (#info-keys), what the phone reads of it, and features (#feature-bits, #set-up-request)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import hid
from .modes import AUDIO, SCREEN, take
from .problems import Problem

# The feature strings. `faults` checks the keys that they require in /info.
FEATURES = ("viewAreas", "altScreen", "hevc", "iAPChannel", "mainBuffered")
FEATURE_BITS = (7, 9, 18, 20, 22, 26, 30, 32, 37, 38)  # the minimum of ours [o]
CLEAR_AUDIO = 1 << 22
PAIRING = 1 << 38
PCM_MONO = 1 << 2 | 1 << 4 | 1 << 6 | 1 << 8 | 1 << 14
PCM = PCM_MONO | 1 << 10 | 1 << 11 | 1 << 15
AAC_LC = 1 << 22 | 1 << 23
OPUS = 1 << 28 | 1 << 29 | 1 << 30
TOUCH_UUID, KNOB_UUID, MEDIA_UUID, TELEPHONY_UUID = "2a2a2a2a", "2a2a2a2b", "2a2a2a2c", "2a2a2a2d"


@dataclass(frozen=True)
class Display:
    """A display of the car."""

    width: int = 1280
    height: int = 720
    fps: int = 60
    physical: tuple[int, int] = (240, 135)  # mm
    uuid: str = "5c9a1f1e-0000-4000-8000-000000000110"
    kind: int = 110


@dataclass(frozen=True)
class Car:
    """The values that a head unit reports about itself."""

    name: str = "CarPlay"
    model: str = "Python peer"
    device_id: str = "02:00:00:00:00:01"
    generation: int = 320
    displays: tuple[Display, ...] = (Display(),)
    features: tuple[str, ...] = ("iAPChannel", "mainBuffered")  # features that the head unit accepts
    resources: tuple[dict[str, int], ...] = (take(SCREEN, 100), take(AUDIO, 100))  # the form of L
    initial_permanent: tuple[tuple[int, int], ...] = ()  # resource and entity
    keep_alive: bool = False
    statistics: bool = False  # keepAliveSendStatsAsBody
    clear_audio: bool = True  # bit 22; without it the old generation encrypts audio

    @property
    def source_version(self) -> str:
        """The receiver version of the generation."""
        return {210: "210.81", 280: "280.33.8", 320: "320.17"}[self.generation]

    @property
    def feature_bits(self) -> int:
        """The feature word."""
        bits = sum(1 << bit for bit in FEATURE_BITS)
        if self.generation != 320:
            bits &= ~PAIRING
        return bits if self.clear_audio else bits & ~CLEAR_AUDIO


def build(car: Car) -> dict[str, Any]:
    """Returns the complete /info, before features are chosen."""
    main = [display for display in car.displays if display.kind == 110]
    result: dict[str, Any] = {
        "sourceVersion": car.source_version, "protocolVersion": "1.0", "features": car.feature_bits,
        "statusFlags": 4, "model": car.model, "manufacturer": "swift-iap2", "name": car.name,
        "deviceID": car.device_id, "bluetoothIDs": [car.device_id], "firmwareRevision": "1", "hardwareRevision": "1",
        "OSInfo": "Linux", "rightHandDrive": False, "nightMode": False, "limitedUI": False, "limitedUIElements": [],
        "keepAliveLowPower": car.keep_alive, "keepAliveSendStatsAsBody": car.statistics,
        "extendedFeatures": ["vocoderInfo", "enhancedRequestCarUI"],
        "modes": {"appStates": [], "resources": [dict(entry) for entry in car.resources]},
        "audioFormats": _audio_formats(car), "audioLatencies": [
            {"type": kind, "audioType": "default", "inputLatencyMicros": 41_000, "outputLatencyMicros": 41_000}
            for kind in (100, 101)],
        "displays": [_display(car, display) for display in car.displays],
        "hidDevices": _hid_devices(main[0]) if main else [],
        "oemIconVisible": True, "oemIconLabel": car.name, "oemIcons": [],
    }
    if car.initial_permanent:
        result["modes"]["initialPermanentEntity"] = [
            {"resourceID": resource, "permanentEntity": entity} for resource, entity in car.initial_permanent]
    if "hevc" in car.features:
        result["hevcInfo"] = {}
    if "mainBuffered" in car.features:
        result["mainBufferedInfo"] = {}
    return result


def _audio_formats(car: Car) -> list[dict[str, Any]]:
    def entry(kind: int, audio: str, output: int, incoming: int = 0) -> dict[str, Any]:
        return {"type": kind, "audioType": audio, "audioInputFormats": incoming, "audioOutputFormats": output}

    result = [entry(100, audio, PCM | OPUS, PCM_MONO | OPUS) for audio in
              ("compatibility", "default", "alert", "media", "telephony", "speechRecognition")]
    result += [entry(101, audio, PCM | OPUS) for audio in ("compatibility", "default")]
    result.append(entry(102, "media", AAC_LC))
    if "mainBuffered" in car.features:
        result.append(entry(103, "media", AAC_LC))
    return result


def _display(car: Car, display: Display) -> dict[str, Any]:
    result: dict[str, Any] = {
        "uuid": display.uuid, "type": display.kind, "maxFPS": display.fps, "widthPixels": display.width,
        "heightPixels": display.height, "widthPhysical": display.physical[0], "heightPhysical": display.physical[1],
        "features": 0x02 | 0x08,  # knobs and high-fidelity touch
        "primaryInputDevice": 1}  # p: 1 is a touch screen
    if display.kind == 111:
        result["features"] = 0
        result["initialURL"] = "maps:/car/instrumentcluster/map"
    if "viewAreas" in car.features:
        whole = {"widthPixels": display.width, "heightPixels": display.height, "originXPixels": 0, "originYPixels": 0}
        result["viewAreas"] = [whole | {"safeArea": whole | {"drawUIOutsideSafeArea": False}}]
        result["initialViewArea"] = 0
    return result


def _hid_devices(display: Display) -> list[dict[str, Any]]:
    devices = [(TOUCH_UUID, "touch", hid.touch_descriptor(display.width, display.height)),
               (KNOB_UUID, "knob", hid.knob_descriptor()), (MEDIA_UUID, "media", hid.media_descriptor()),
               (TELEPHONY_UUID, "telephony", hid.telephony_descriptor())]
    return [{"uuid": uuid, "name": name, "displayUUID": display.uuid, "hidVendorID": 0, "hidProductID": 0,
             "hidCountryCode": 0, "hidDescriptor": descriptor} for uuid, name, descriptor in devices]


def limited(info: dict[str, Any], enabled: list[str]) -> dict[str, Any]:
    """Returns /info after the session SETUP, with only the keys of enabled features."""
    result = dict(info)
    displays = result["displays"]
    if "altScreen" not in enabled:
        displays = [entry for entry in displays if entry["type"] != 111]
    if "viewAreas" not in enabled:
        displays = [{key: value for key, value in entry.items() if key not in ("viewAreas", "initialViewArea")}
                    for entry in displays]
    result["displays"] = displays
    if "hevc" not in enabled:
        result.pop("hevcInfo", None)
    if "mainBuffered" not in enabled:
        result.pop("mainBufferedInfo", None)
        result["audioFormats"] = [entry for entry in result["audioFormats"] if entry["type"] != 103]
    return result


def faults(info: dict[str, Any], features: tuple[str, ...]) -> list[str]:
    """Compares features with their keys in both directions. A head unit checks itself before it starts."""
    displays = info.get("displays", [])
    there = {
        "viewAreas": any("viewAreas" in entry for entry in displays),
        "altScreen": any(entry.get("type") == 111 for entry in displays),
        "hevc": "hevcInfo" in info,
        "mainBuffered": ("mainBufferedInfo" in info
                         and any(entry.get("type") == 103 for entry in info.get("audioFormats", []))),
    }
    result = [f"feature {name} without its keys" for name in features if not there.get(name, True)]
    return result + [f"keys of {name} without the feature" for name in there if there[name] and name not in features]


@dataclass
class HeadUnitFacts:
    """The values that a phone reads from /info. It requires few keys, because real cars lack many."""

    device_id: str
    features: int
    displays: list[dict[str, Any]]
    audio_formats: list[dict[str, Any]]
    hid_devices: dict[str, hid.Descriptor] = field(default_factory=dict)
    modes: dict[str, Any] = field(default_factory=dict)
    permanent: dict[int, int] = field(default_factory=dict)
    statistics: bool = False
    keep_alive: bool = False

    @staticmethod
    def read(info: dict[str, Any]) -> HeadUnitFacts:
        """Reads the answer. Raises `badInfo`."""
        device, features = info.get("deviceID"), info.get("features")
        displays, formats = _entries(info, "displays"), _entries(info, "audioFormats")
        if not isinstance(device, str) or not _is_integer(features):
            raise Problem("badInfo", "no deviceID or features")
        usable = [entry for entry in displays if isinstance(entry.get("uuid"), str)
                  and _is_size(entry.get("widthPixels")) and _is_size(entry.get("heightPixels"))]
        if not usable:
            raise Problem("badInfo", "no display with uuid and size")
        facts = HeadUnitFacts(device, features, usable, formats)
        facts._read_hid(info)
        modes = info.get("modes", {})
        if not isinstance(modes, dict):
            raise Problem("badInfo", "modes is not a dictionary")
        facts.modes = modes
        facts.permanent = {entry["resourceID"]: entry.get("permanentEntity")
                           for entry in _entries(modes, "initialPermanentEntity")
                           if _is_integer(entry.get("resourceID"))}
        facts.statistics = info.get("keepAliveSendStatsAsBody") is True
        facts.keep_alive = info.get("keepAliveLowPower") is True
        return facts

    def _read_hid(self, info: dict[str, Any]) -> None:
        for entry in _entries(info, "hidDevices"):
            if not isinstance(entry.get("uuid"), str) or not isinstance(entry.get("hidDescriptor"), bytes):
                raise Problem("badInfo", "a HID device without uuid or descriptor")
            self.hid_devices[entry["uuid"]] = hid.Descriptor.parse(entry["hidDescriptor"])

    def display(self, kind: int) -> dict[str, Any] | None:
        """Returns the first display of a type. A display without a type is the main screen."""
        return next((entry for entry in self.displays if entry.get("type", 110) == kind), None)

    def offers(self, kind: int, mask: int, audio_type: str) -> bool:
        """Returns whether an audio format is offered. Without `audioOutputFormats` every format is."""
        entries = [entry for entry in self.audio_formats if entry.get("type") == kind
                   and entry.get("audioType", audio_type) in (audio_type, "compatibility", "default")]
        return any(entry.get("audioOutputFormats", mask) & mask for entry in entries
                   if _is_integer(entry.get("audioOutputFormats", mask)))


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return _is_integer(value) and 0 < value <= 16_384


def _entries(info: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = info.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise Problem("badInfo", f"{key} is not an array of dictionaries")
    return value

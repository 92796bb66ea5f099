# SPDX-License-Identifier: Apache-2.0
"""The command line `tools/peers/carplay/run`."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography import x509

from common.command_line import NO_FILE, UNAVAILABLE, USAGE, Parser, host_and_port
from common.places import AUTHORITY, CERTIFICATE, KEY

from . import authsetup, hid, info, modes, screen
from .head_unit import HeadUnit, HeadUnitConfig
from .hostile import BEHAVIORS, GOOD
from .network import SocketNetwork
from .pairing import Pairings
from .phone import Phone, PhoneConfig
from .problems import CAUSES

EXAMPLES = """examples:
  tools/peers/carplay/run headunit --listen 127.0.0.1:7000 --screen /tmp/film.h264 --audio /tmp
  tools/peers/carplay/run phone --connect 127.0.0.1:7000 --video film.h264 --music music.pcm
  tools/peers/carplay/run headunit --once --touch 320,200 --siri --take screen
  tools/peers/carplay/run phone --connect 127.0.0.1:7000 --behavior flipped-screen
  tools/peers/carplay/run --behaviors

output: one JSON object a line, with `event` and `role`; the events are in README.md
exit status: 0 the session was set up and ended in order, 1 otherwise, 64 wrong usage, 66 a file cannot be read,
69 the address is not available
"""


def address(text: str) -> tuple[str, int]:
    """Parses HOST:PORT."""
    try:
        return host_and_port(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def display(text: str) -> info.Display:
    """Parses WxH@FPS[:MMxMM]."""
    match = re.fullmatch(r"(\d+)x(\d+)@(\d+)(?::(\d+)x(\d+))?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not WxH@FPS[:MMxMM]")
    width, height, fps, *physical = (int(part) if part else None for part in match.groups())
    return info.Display(width, height, fps, tuple(physical) if physical[0] else info.Display.physical)


def point(text: str) -> tuple[int, int]:
    """Parses X,Y."""
    match = re.fullmatch(r"(\d+),(\d+)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not X,Y")
    return int(match[1]), int(match[2])


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    result = Parser(
        prog="tools/peers/carplay/run", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EXAMPLES,
        description="Plays one side of a CarPlay session on sockets, well or badly.")
    result.add_argument("--behaviors", action="store_true", help="print the deviations, and end")
    roles = result.add_subparsers(dest="role", metavar="headunit|phone")
    unit = roles.add_parser("headunit", help="the car: server of the control connection")
    phone = roles.add_parser("phone", help="the phone: client of the control connection")
    for role in (unit, phone):
        role.add_argument("--generation", type=int, choices=[210, 280, 320], default=320)
        role.add_argument("--pairings", type=Path, metavar="FILE", help="own identity and paired peers (a new one)")
        role.add_argument("--behavior", metavar="NAME", help="deviate from a good peer; --behaviors prints all")
    _add_head_unit(unit)
    _add_phone(phone)
    return result


def _add_head_unit(unit: argparse.ArgumentParser) -> None:
    unit.add_argument("--listen", type=address, default=("127.0.0.1", 0), metavar="HOST:PORT",
                      help="127.0.0.1:0, which takes a free port and prints it")
    unit.add_argument("--once", action="store_true", help="end with the first session")
    unit.add_argument("--seconds", type=float, metavar="N", help="end after so long")
    unit.add_argument("--display", type=display, metavar="WxH@FPS[:MMxMM]", default=info.Display())
    unit.add_argument("--screen", type=Path, metavar="FILE", help="write H.264 as Annex B")
    unit.add_argument("--audio", type=Path, metavar="DIR", help="write TYPE-N.pcm, 16-bit little endian")
    unit.add_argument("--microphone", type=Path, metavar="FILE", help="PCM, 16-bit little endian (silence)")
    unit.add_argument("--certificate", type=Path, default=CERTIFICATE, metavar="PEM")
    unit.add_argument("--key", type=Path, default=KEY, metavar="PEM")
    unit.add_argument("--encrypted-audio", action="store_true", help="generation 210: no clear audio (bit 22)")
    unit.add_argument("--unknown-command", type=int, choices=[200, 501], default=501)
    actions = unit.add_argument_group("actions", "sent in this order when the phone has sent RECORD")
    actions.add_argument("--touch", type=point, action="append", default=[], metavar="X,Y")
    actions.add_argument("--knob", action="append", default=[], choices=["select", "home", "back", "left", "right"])
    actions.add_argument("--media-key", action="append", default=[], choices=list(hid.MEDIA_KEYS))
    actions.add_argument("--siri", action="store_true", help="button down and up")
    actions.add_argument("--take", action="append", default=[], choices=["screen", "audio"])
    actions.add_argument("--untake", action="append", default=[], choices=["screen", "audio"])
    actions.add_argument("--command", action="append", default=[], metavar="JSON", help='such as {"type": "requestUI"}')


def _add_phone(phone: argparse.ArgumentParser) -> None:
    phone.add_argument("--connect", type=address, required=True, metavar="HOST:PORT")
    phone.add_argument("--video", type=Path, metavar="FILE", help="H.264 as Annex B (pictures that no decoder reads)")
    phone.add_argument("--rate", type=float, default=30, metavar="FPS")
    phone.add_argument("--config-form", choices=["bare", "box", "entry"], default="entry")
    phone.add_argument("--music", type=Path, metavar="FILE", help="PCM, 48 kHz stereo 16-bit little endian")
    phone.add_argument("--prompt", type=Path, metavar="FILE", help="PCM, 48 kHz mono, on type 101 with ducking")
    phone.add_argument("--buffered", type=int, default=0, metavar="N", help="send N units on type 103")
    phone.add_argument("--iap", action="append", default=[], metavar="HEX", help="bytes of iAP2 for type 130")
    phone.add_argument("--microphone", action="store_true", help="ask for the microphone")
    phone.add_argument("--seconds", type=float, default=0, metavar="N", help="stay so long")
    phone.add_argument("--trust", metavar="PEM", default=str(AUTHORITY), help="a CA, or `any`")
    phone.add_argument("--no-pairing", action="store_true", help="generation 280: work without pairing")
    phone.add_argument("--no-authentication", action="store_true", help="skip auth-setup on a paired connection")
    phone.add_argument("--hkp", nargs=2, default=["0", "2"], metavar=("SETUP", "VERIFY"),
                       help="X-Apple-HKP; AirPlay test peers want 3 3")
    phone.add_argument("--feature", action="append", metavar="NAME", help="a feature to ask for; repeatable")


def printer(role: str) -> Callable[..., None]:
    """Returns a function that prints an event as a line of JSON."""
    def emit(event: str, **values: Any) -> None:
        print(json.dumps({"event": event, "role": role, **values}), flush=True)
    return emit


def _actions(options: argparse.Namespace) -> list[dict[str, Any]]:
    commands: list[dict[str, Any]] = []

    def report(uuid: str, *reports: bytes) -> None:
        commands.extend({"type": "hidSendReport", "uuid": uuid, "hidReport": data} for data in reports)

    for x, y in options.touch:
        report(info.TOUCH_UUID, hid.touch_report(x, y, True), hid.touch_report(x, y, False))
    turns = {"left": {"wheel": -1}, "right": {"wheel": 1}}
    for name in options.knob:
        report(info.KNOB_UUID, hid.knob_report(**turns.get(name, {name: True})), hid.knob_report())
    for name in options.media_key:
        report(info.MEDIA_UUID, hid.key_report(hid.MEDIA_KEYS, name), hid.key_report(hid.MEDIA_KEYS, None))
    if options.siri:
        commands += [{"type": "requestSiri", "params": {"siriAction": action}} for action in (2, 3)]
    numbers = {"screen": modes.SCREEN, "audio": modes.AUDIO}
    for wish in [modes.take(numbers[name]) for name in options.take] + [
            modes.untake(numbers[name]) for name in options.untake]:
        commands.append({"type": "changeModes", "params": {"reasonStr": "car", "resources": [wish]}})
    return commands + [json.loads(text) for text in options.command]


async def serve_head_unit(options: argparse.Namespace) -> int:
    """Runs the head unit. Returns the exit status."""
    commands = _actions(options)

    async def act(session) -> None:
        for command in commands:
            session.command(command)

    emit = printer("headUnit")
    config = HeadUnitConfig(
        signer=authsetup.Signer.load(options.certificate, options.key),
        car=info.Car(generation=options.generation, displays=(options.display,),
                     clear_audio=not options.encrypted_audio),
        pairings=Pairings(path=options.pairings), behavior=_behavior(options), screen_file=options.screen,
        audio_folder=options.audio, microphone=options.microphone.read_bytes() if options.microphone else b"",
        script=(act,), unknown_command=options.unknown_command)
    host, port = options.listen
    unit = HeadUnit(config, SocketNetwork(host), emit)
    await unit.listen(port)
    causes: list[str] = []
    try:
        async with asyncio.timeout(options.seconds):
            # With --once, a connection that only paired and then closed does not count.
            while not (options.once and causes and (unit.sessions or causes[-1] != "controlLost")):
                causes.append(await unit.wait_for_end())
    except TimeoutError:
        pass
    finally:
        await unit.close()
    while not unit.causes.empty():
        causes.append(unit.causes.get_nowait())
    return 0 if unit.sessions and causes and causes[-1] in ("teardown", "stopped") else 1


async def run_phone(options: argparse.Namespace) -> int:
    """Runs the phone. Returns the exit status."""
    host, port = options.connect
    trusted = None if options.trust == "any" else [x509.load_pem_x509_certificate(Path(options.trust).read_bytes())]
    features = tuple(options.feature) if options.feature else PhoneConfig.features
    config = PhoneConfig(
        generation=options.generation, pairs=not options.no_pairing, pairings=Pairings(path=options.pairings),
        trusted=trusted, authenticates=not options.no_authentication, behavior=_behavior(options), features=features,
        pairing_type=tuple(options.hkp), config_form=options.config_form, picture_rate=options.rate,
        pictures=tuple(screen.read_annex_b(options.video.read_bytes())) if options.video else placeholder_pictures(),
        music=options.music.read_bytes() if options.music else None, wants_microphone=options.microphone,
        prompt=options.prompt.read_bytes() if options.prompt else None, buffered=(bytes(300),) * options.buffered,
        iap=tuple(bytes.fromhex(text) for text in options.iap), seconds=options.seconds)
    own = "::1" if ":" in host else "127.0.0.1" if host in ("127.0.0.1", "localhost") else "0.0.0.0"
    phone = Phone(config, SocketNetwork(own, host), printer("phone"))
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, phone.ending.finish, "stopped")
    return 0 if await phone.run(port) == "teardown" else 1


def placeholder_pictures() -> tuple[screen.Picture, ...]:
    """Returns ten pictures with real parameter sets [AS] and no picture data."""
    sps, pps = bytes.fromhex("6764c028ac56200d814fe59b81010101"), bytes.fromhex("28ee3cb0")
    return tuple(screen.Picture(sps, pps, (bytes([0x41 if number else 0x65, 0x80]) + bytes(200),))
                 for number in range(10))


def _behavior(options: argparse.Namespace):
    return BEHAVIORS[options.behavior].fresh() if options.behavior else GOOD.fresh()


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line. Returns the exit status."""
    options = parser().parse_args(arguments)
    if options.behaviors:
        for entry in BEHAVIORS.values():
            print(json.dumps({"name": entry.name, "role": entry.side, "text": entry.text, "ends": entry.ends,
                              "says": entry.says}))
        print(json.dumps({"causes": CAUSES}))
        return 0
    if options.role is None:
        parser().error("headunit or phone is missing")
    if options.behavior and (options.behavior not in BEHAVIORS or BEHAVIORS[options.behavior].side != options.role):
        print(f"carplay-peer: {options.role} has no behavior {options.behavior}; see --behaviors", file=sys.stderr)
        return USAGE
    try:
        return asyncio.run(serve_head_unit(options) if options.role == "headunit" else run_phone(options))
    except FileNotFoundError as error:
        print(f"carplay-peer: {error.filename}: {error.strerror}", file=sys.stderr)
        return NO_FILE
    except OSError as error:
        print(f"carplay-peer: {error.strerror or error}", file=sys.stderr)
        return UNAVAILABLE
    except (ValueError, json.JSONDecodeError) as error:
        print(f"carplay-peer: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 0

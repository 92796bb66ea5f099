# SPDX-License-Identifier: Apache-2.0
"""The command line `tools/peers/iap2/run`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TextIO

from common.command_line import INTERRUPTED, UNAVAILABLE, USAGE, Parser

from .authentication import AuthenticationError, FixedCredentials, KeyCredentials
from .behaviors import BEHAVIORS, LATER
from .link import ACCESSORY
from .packets import FormatError, Synchronization
from .roles import Accessory, AccessoryBehavior, Device, DeviceBehavior
from .sessions import Peer, TextCapture, serve
from .transport import Channel, Listener, TransportError, connect, open_pty

EXAMPLES = """examples:
  tools/peers/iap2/run accessory --listen unix:/tmp/link
  tools/peers/iap2/run device --connect 127.0.0.1:7000 --open com.example.echo --send README.md
  tools/peers/iap2/run accessory --connect unix:/tmp/link --signed
  tools/peers/iap2/run device --connect unix:/tmp/link --behavior reject-once --capture /tmp/session.txt
  tools/peers/iap2/run accessory --pty --after 2 restart
  tools/peers/iap2/run accessory --behaviors

Against the command of this repository:
  tools/iap2 headunit --transport unix-listen:/tmp/link --external-accessory com.example.echo=echo
  tools/iap2 phone --transport unix-listen:/tmp/link --authentication any

exit status: 0 identified and nothing undone, 1 otherwise, 64 wrong usage, 69 transport not available
"""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    result = Parser(
        prog="tools/peers/iap2/run", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EXAMPLES,
        description="Plays one side of iAP2, well or badly: `accessory` is the head unit, `device` the phone.")
    result.add_argument("role", choices=["accessory", "device"])
    where = result.add_mutually_exclusive_group()
    where.add_argument("--connect", metavar="ADDRESS", help="HOST:PORT, unix:PATH or serial:DEVICE")
    where.add_argument("--listen", metavar="ADDRESS", help="HOST:PORT or unix:PATH; serves one connection")
    where.add_argument("--pty", action="store_true", help="create a pty and print its path")
    result.add_argument("--behavior", metavar="NAME", action="append", default=[],
                        help="deviate from a good peer; repeatable, --behaviors prints all")
    result.add_argument("--after", nargs=2, metavar=("SECONDS", "ACTION"), action="append", default=[],
                        help="do this some seconds after identification; repeatable, --behaviors prints all")
    result.add_argument("--behaviors", action="store_true", help="print behaviors and actions, and end")
    result.add_argument("--duration", type=float, default=60, metavar="SECONDS", help="end after this time (60)")
    result.add_argument("--capture", metavar="FILE", help="write the bytes in the text form of captures/README.md")
    result.add_argument("--link", metavar="NAME=NUMBER,…", default="",
                        help="window, max-length, retransmission-timeout, acknowledgement-timeout, "
                             "max-retransmissions, max-acknowledgements")
    accessory = result.add_argument_group("accessory")
    accessory.add_argument("--protocol", metavar="NAME=SERVICE", action="append", default=[],
                           help="an EA protocol with echo, discard or silent behind it (com.example.echo=echo)")
    accessory.add_argument("--certificate", metavar="FILE", help="send the bytes of this file as certificate")
    accessory.add_argument("--signature", metavar="HEX", help="send these bytes as signature of any challenge")
    accessory.add_argument("--signed", action="store_true",
                           help="sign with the tests' second accessory key through openssl")
    device = result.add_argument_group("device")
    device.add_argument("--open", metavar="PROTOCOL", help="open an EA session after identification")
    device.add_argument("--send", metavar="FILE", help="send this file over the EA session and wait for as many bytes")
    device.add_argument("--file", metavar="FILE", help="send this file over the file transfer session, as artwork")
    return result


def offer(text: str) -> Synchronization:
    """Reads the link values of `--link`."""
    values = {}
    for part in filter(None, text.split(",")):
        name, separator, number = part.partition("=")
        key = name.replace("-", "_")
        if not separator or not number.isdigit() or key not in Synchronization.__dataclass_fields__:
            raise ValueError(f"--link {part}: NAME=NUMBER is wanted")
        values[key] = int(number)
    return Synchronization().with_values(**values)


def open_channel(arguments: argparse.Namespace) -> Channel:
    """Opens the transport that the command line names."""
    if arguments.connect:
        return connect(arguments.connect)
    if arguments.pty:
        channel, path, _ = open_pty()
        print(path, flush=True)
        return channel
    listener = Listener(arguments.listen)
    print(f"listening at {listener.address}", flush=True)
    try:
        channel = listener.accept(arguments.duration)
    finally:
        listener.close()
    if channel is None:
        raise TransportError(f"{listener.address}: no connection came")
    return channel


def credentials(arguments: argparse.Namespace) -> FixedCredentials | KeyCredentials:
    """Returns what the accessory authenticates itself with."""
    if arguments.signed:
        return KeyCredentials()
    fixed = FixedCredentials()
    if arguments.certificate:
        fixed.certificate = Path(arguments.certificate).read_bytes()
    if arguments.signature:
        fixed.signature = bytes.fromhex(arguments.signature)
    return fixed


def make_peer(arguments: argparse.Namespace, channel: Channel, capture: TextIO | None) -> Peer:
    """Returns the peer with all its behaviors."""
    text = TextCapture(capture, arguments.role) if capture else None

    def report(line: str) -> None:
        print(line, flush=True)

    peer: Peer
    if arguments.role == ACCESSORY:
        chosen = AccessoryBehavior(credentials=credentials(arguments))
        if arguments.protocol:
            chosen.protocols = dict(p.partition("=")[::2] for p in arguments.protocol)
        peer = Accessory(channel, chosen, offer(arguments.link), None, text, report)
    else:
        peer = Device(channel, DeviceBehavior(), offer(arguments.link), None, text, report)
    for name in arguments.behavior:
        BEHAVIORS[name].apply(peer)
    return peer


def play(peer: Peer, arguments: argparse.Namespace) -> bool:
    """Serves the peer until its work is done. Returns whether everything was done."""
    end = time.monotonic() + arguments.duration
    plan = sorted(((float(s), name) for s, name in arguments.after), key=lambda entry: entry[0])

    def over() -> bool:
        return peer.channel.closed or bool(peer.channel.ended) and not peer.link.is_up

    def left() -> float:
        return max(0.0, end - time.monotonic())

    serve([peer], lambda: peer.identified or over() or bool(peer.channel.ended), left())
    if not peer.identified:
        return False
    identified = time.monotonic()
    done = work(peer, arguments, left) if isinstance(peer, Device) else True
    for seconds, name in plan:
        serve([peer], over, min(left(), max(0.0, identified + seconds - time.monotonic())))
        peer.note("action", name)
        LATER[name][1](peer)
    if isinstance(peer, Device) and (arguments.open or arguments.file) and not plan:
        peer.link.reset()
        peer.flush()
    else:
        serve([peer], lambda: peer.channel.closed or bool(peer.channel.ended), left())
    return done


def work(peer: Device, arguments: argparse.Namespace, left) -> bool:
    """Opens the EA session and sends the files that the command line names."""
    done = True
    if arguments.open:
        app = peer.open_app(arguments.open)
        serve([peer], lambda: app.status is not None or bool(peer.channel.ended), left())
        if not app.open or app.status is None:
            return False
        if arguments.send:
            content = Path(arguments.send).read_bytes()
            peer.send_app(app.id, content)
            done = serve([peer], lambda: app.received_count >= len(content) or bool(peer.channel.ended), left())
            done = done and bytes(app.received) == content
            peer.note("echo", "equal" if done else f"{app.received_count} of {len(content)} bytes or different")
        peer.close_app(app)
        serve([peer], lambda: peer.link.is_idle, min(2, left()))
    if arguments.file:
        peer.announce_artwork(128)
        transfer = peer.send_file(128, Path(arguments.file).read_bytes())
        serve([peer], lambda: transfer.state in ("complete", "failed", "cancelled"), left())
        done = done and transfer.state == "complete"
    return done


def print_behaviors(role: str) -> None:
    """Prints what `--behavior` and `--after` take."""
    print("--behavior:")
    for entry in BEHAVIORS.values():
        if role in entry.roles:
            print(f"  {entry.name:28} {entry.text}")
    print("--after SECONDS:")
    for name, (text, _) in LATER.items():
        print(f"  {name:28} {text}")


def check(arguments: argparse.Namespace, usage: argparse.ArgumentParser) -> None:
    """Ends with 64 if names are unknown or values cannot be read."""
    if not (arguments.connect or arguments.listen or arguments.pty):
        usage.exit(USAGE, "one of --connect, --listen and --pty is wanted\n")
    for name in arguments.behavior:
        if name not in BEHAVIORS or arguments.role not in BEHAVIORS[name].roles:
            usage.exit(USAGE, f"--behavior {name}: not known for this role; --behaviors prints all\n")
    for seconds, name in arguments.after:
        if name not in LATER or not seconds.replace(".", "", 1).isdigit():
            usage.exit(USAGE, f"--after {seconds} {name}: a number and an action are wanted; --behaviors prints all\n")


def main(argv: list[str] | None = None) -> int:
    """Runs the command line."""
    usage = parser()
    arguments = usage.parse_args(argv)
    if arguments.behaviors:
        print_behaviors(arguments.role)
        return 0
    check(arguments, usage)
    capture: TextIO | None = None
    channel: Channel | None = None
    try:
        if arguments.capture:
            capture = open(arguments.capture, "w", encoding="utf-8")  # pylint: disable=consider-using-with
        channel = open_channel(arguments)
        return 0 if play(make_peer(arguments, channel, capture), arguments) else 1
    except ValueError as error:
        if isinstance(error, FormatError):
            print(f"peer: {error}", file=sys.stderr)
            return 1
        usage.exit(USAGE, f"{error}\n")
    except (AuthenticationError, KeyError) as error:
        print(f"peer: {error.args[0]}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"peer: {error}", file=sys.stderr)
        return UNAVAILABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if channel is not None:
            channel.close()
        if capture is not None:
            capture.close()

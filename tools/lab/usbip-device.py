#!/usr/bin/python3
# USB devices that this process plays to its own kernel through vhci_hcd, the kernel's virtual host controller for
# USB/IP: for what FunctionFS cannot show, as alternate settings and descriptors that lie. A pair of sockets takes the
# place of a network.
#   usbip-device.py [--link SOCKET] KIND[@SPEED]…
# plugs in devices of the kinds that `make` knows until it is ended, at high speed unless `full` or `super` is given.
# They have the product ids 1, 2, 3… in the order they are named. SOCKET is where a real head unit listens; some kinds
# have its link. Prints what a test wants to know, a line for each event, with the device as it was named in front.
# SPDX-License-Identifier: Apache-2.0
import argparse
import errno
import random
import select
import socket
import struct

CONTROLLER = "/sys/devices/platform/vhci_hcd.0"
# What the kernel calls a speed (enum usb_device_speed), which of its two hubs has it, what a bulk endpoint's packet is.
SPEEDS = {"full": (2, "hs", 64), "high": (3, "hs", 512), "super": (5, "ss", 1024)}
# Of pid.codes, with products that it keeps for tests.
VENDOR = 0x1209

DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT, COMPANION = 1, 2, 3, 4, 5, 0x30
BULK, INTERRUPT = 2, 3
LINK, NATIVE = (0xFF, 0xF0, 0), (0xFF, 0xF0, 1)
LINK_IN, LINK_OUT, NATIVE_IN, NATIVE_OUT = 0x81, 0x02, 0x83, 0x04
GET_STATUS, GET_DESCRIPTOR, SET_CONFIGURATION, SET_INTERFACE = 0, 6, 9, 11
LONGEST = 0xFFFF

# The commands of USB/IP (Documentation/usb/usbip_protocol.rst), all numbers big-endian.
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
HEAD = struct.Struct(">5I")
SUBMIT_BODY = struct.Struct(">I4i8s")
UNLINK_BODY = struct.Struct(">I24x")
SUBMITTED_BODY = struct.Struct(">5i8x")
UNLINKED_BODY = struct.Struct(">i24x")


# Descriptors (USB 2.0, chapter 9).


def configuration(*parts, number=1, length=9, total=None):
    body = b"".join(parts)
    interfaces = len({part[2] for part in parts if part[1] == INTERFACE})
    total = len(body) + 9 if total is None else total
    return struct.pack("<BBH5B", length, CONFIGURATION, total, interfaces, number, 0, 0x80, 50) + body


def without_end(part, *first):
    """A configuration as long as one can be, with one descriptor over and over."""
    room = LONGEST - 9 - sum(map(len, first))
    return configuration(*first, *[part] * (room // len(part)))


def interface(number, setting, use, endpoints, name, length=9):
    return struct.pack("<9B", length, INTERFACE, number, setting, endpoints, *use, name)


def string(text):
    body = text.encode("utf-16-le")
    return bytes([len(body) + 2, STRING]) + body


STRINGS = [
    bytes([4, STRING, 9, 4]),
    string("swift-iap2"),
    string("foreign accessory"),
    string("F1"),
    string("iAP Interface"),
    string("com.example.native"),
]
# Longer than it is, made for a terminal, made for a shell, of length 0, and halves of surrogate pairs.
LYING_STRINGS = [
    STRINGS[0],
    bytes([254]) + string("short")[1:],
    string("\x1b[2Jclear\r\n$(reboot)"),
    string("'; reboot #"),
    bytes([0, 0]),
    bytes([20, STRING]) + b"\0\xd8" * 9,
]


# What happens on the bulk endpoints of an interface: `take` gets what the host sends, `give` says what it is sent.


class Stall(Exception):
    pass


class Silence:
    """Takes everything and sends nothing."""

    def take(self, data):
        return True

    def give(self, limit):
        return None


class Deafness(Silence):
    """Lets no transfer end."""

    def take(self, data):
        return False


class Refusal:
    """Stalls every transfer."""

    def take(self, data):
        raise Stall

    def give(self, limit):
        raise Stall


class Noise(Silence):
    """Sends without end."""

    def __init__(self):
        self.random = random.Random(1)

    def give(self, limit):
        return self.random.randbytes(limit)


class Zeros(Silence):
    """Sends without end what no packet begins with."""

    def give(self, limit):
        return bytes(limit)


class EmptyPackets(Silence):
    """Ends every read at once, with nothing."""

    def give(self, limit):
        return b""


class Echo:
    def __init__(self):
        self.data = bytearray()

    def take(self, data):
        self.data += data
        return True

    def give(self, limit):
        data = bytes(self.data[:limit])
        del self.data[:limit]
        return data or None


class HeadUnit:
    """The link of a real one behind a socket, which it has while its host uses it: it serves one after another."""

    latest = None

    def __init__(self, path):
        self.path = path
        self.socket = None
        self.byte_count = 0

    def open(self):
        if HeadUnit.latest is self:
            return
        if HeadUnit.latest:
            HeadUnit.latest.close()
        HeadUnit.latest = self
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.path)

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def take(self, data):
        self.byte_count += len(data)
        self.open()
        try:
            if self.socket:
                self.socket.sendall(data)
        except OSError:
            self.close()
        return True

    def give(self, limit):
        self.open()
        if not self.socket:
            return None
        try:
            data = self.socket.recv(limit, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        if not data:
            self.close()
        self.byte_count += len(data)
        return data or None


class Device:
    """Answers as its descriptors promise, or not."""

    def __init__(self, say, head, configurations, strings=STRINGS, link=None, native=None, stalls=(), ignores=()):
        self.say = say
        self.descriptors = {DEVICE: [head], CONFIGURATION: configurations, STRING: strings}
        self.link = link or Silence()
        self.native = native or Echo()
        # Numbers of control requests.
        self.stalls = stalls
        self.ignores = ignores
        self.setting = 0
        self.taken = self.given = 0

    def control(self, setup):
        """What a control request brings; None for one that gets no answer."""
        kind, request, value, index, length = struct.unpack("<2B3H", setup)
        if request in self.ignores:
            self.say(f"request {request} ignored")
            return None
        if request in self.stalls:
            self.say(f"request {request} stalled")
            raise Stall
        if (kind, request) == (0x80, GET_DESCRIPTOR):
            table = self.descriptors.get(value >> 8, [])
            if value & 255 >= len(table):
                raise Stall
            return table[value & 255][:length]
        if request == GET_STATUS and kind & 0x80:
            return bytes(2)
        # Any other standard request to the device is taken.
        if kind & 0xE0:
            raise Stall
        if request == SET_INTERFACE:
            if index != 1 or value > 1:
                raise Stall
            self.select(value)
        return b""

    def select(self, setting):
        if setting:
            self.say("setting 1")
        else:
            self.say(f"setting 0 behind {self.taken} bytes taken and {self.given} given")
            if isinstance(self.link, HeadUnit):
                self.say(f"link {self.link.byte_count} bytes")
        self.setting = setting
        self.taken = self.given = 0

    def pair(self, endpoint):
        """Who answers on an endpoint."""
        if endpoint in (LINK_IN & 15, LINK_OUT):
            return self.link
        if endpoint in (NATIVE_IN & 15, NATIVE_OUT) and self.setting == 1:
            return self.native
        self.say(f"endpoint {endpoint} is not there")
        raise Stall

    def take(self, endpoint, data):
        """False for a transfer that does not end."""
        pair = self.pair(endpoint)
        is_done = pair.take(data)
        if pair is self.native and is_done:
            self.note_first(data)
            self.taken += len(data)
        return is_done

    def give(self, endpoint, limit):
        """None as long as there is nothing."""
        pair = self.pair(endpoint)
        data = pair.give(limit)
        if pair is self.native and data:
            self.note_first(data)
            self.given += len(data)
        return data

    def note_first(self, data):
        if data and self.taken == self.given == 0:
            self.say("first byte beside the link")


class Bus:
    """The kernel's end of the socket: hands over transfers, and takes back those that the host has cancelled."""

    def __init__(self, device, speed):
        self.device = device
        # Transfers by number: endpoint and length, or None for one that never ends.
        self.under_way = {}
        self.socket, kernel = socket.socketpair()
        number, hub, _ = SPEEDS[speed]
        with open(CONTROLLER + "/attach", "w") as file:
            file.write(f"{self.free_port(hub)} {kernel.fileno()} 1 {number}")
        # The kernel has its own hold on it.
        kernel.close()

    @staticmethod
    def free_port(hub):
        with open(CONTROLLER + "/status") as file:
            lines = [line.split() for line in file]
        return next(int(line[1]) for line in lines if line[0] == hub and line[2] == "004")

    def sources(self):
        """What has to be waited for."""
        link = getattr(self.device.link, "socket", None)
        reads = [each[0] for each in self.under_way.values() if each]
        return [self.socket] + ([link] if link and LINK_IN & 15 in reads else [])

    def read(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def serve(self):
        command, number, _, is_in, endpoint = HEAD.unpack(self.read(HEAD.size))
        if command == SUBMIT:
            _, length, _, _, _, setup = SUBMIT_BODY.unpack(self.read(SUBMIT_BODY.size))
            data = b"" if is_in else self.read(length)
            self.submit(number, endpoint, is_in, length, data, setup)
        elif command == UNLINK:
            (other,) = UNLINK_BODY.unpack(self.read(UNLINK_BODY.size))
            # What is no longer under way has its answer already.
            is_cancelled = other in self.under_way
            self.under_way.pop(other, None)
            self.send(UNLINKED, number, UNLINKED_BODY.pack(-errno.ECONNRESET if is_cancelled else 0))

    def submit(self, number, endpoint, is_in, length, data, setup):
        self.under_way[number] = None
        try:
            if endpoint == 0:
                answer = self.device.control(setup)
                if answer is not None:
                    self.finish(number, answer if is_in else b"", None if is_in else length)
            elif is_in:
                # Served by `give`, in their order.
                self.under_way[number] = (endpoint, length)
            elif self.device.take(endpoint, data):
                self.finish(number, count=length)
        except Stall:
            self.finish(number, status=-errno.EPIPE)

    def give(self):
        for number, read in list(self.under_way.items()):
            if read is None:
                continue
            try:
                data = self.device.give(*read)
                if data is not None:
                    self.finish(number, data)
            except Stall:
                self.finish(number, status=-errno.EPIPE)

    def finish(self, number, data=b"", count=None, status=0):
        del self.under_way[number]
        count = len(data) if count is None else count
        self.send(SUBMITTED, number, SUBMITTED_BODY.pack(status, count, 0, 0, 0) + data)

    def send(self, command, number, body):
        self.socket.sendall(HEAD.pack(command, number, 0, 0, 0) + body)


class Maker:
    """Makes a device of a kind, for a speed."""

    def __init__(self, name, product, socket_path):
        self.name = name
        self.kind, _, speed = name.partition("@")
        self.speed = speed or "high"
        self.packet = SPEEDS[self.speed][2]
        self.product = product
        self.socket_path = socket_path

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def head(self, length=18, count=1):
        version, first_packet = {64: (0x110, 64), 512: (0x200, 64), 1024: (0x300, 9)}[self.packet]
        start = struct.pack("<BBH4B", length, DEVICE, version, 0, 0, 0, first_packet)
        return start + struct.pack("<3H4B", VENDOR, self.product, 0x100, 1, 2, 3, count)

    def endpoint(self, address, kind=BULK, packet=None, length=7):
        packet = self.packet if packet is None else packet
        body = struct.pack("<4BHB", length, ENDPOINT, address, kind, packet, 4 if kind == INTERRUPT else 0)
        return body + (struct.pack("<4BH", 6, COMPANION, 0, 0, 0) if self.packet == 1024 else b"")

    def link(self, *endpoints):
        """The link's interface, whose endpoints are right unless others are given."""
        endpoints = endpoints or (self.endpoint(LINK_IN), self.endpoint(LINK_OUT))
        return interface(0, 0, LINK, len(endpoints), 4), *endpoints

    def native(self):
        """The interface of an EA protocol: nothing in setting 0, its endpoints in 1."""
        settings = interface(1, 0, NATIVE, 0, 5), interface(1, 1, NATIVE, 2, 5)
        return *settings, self.endpoint(NATIVE_IN), self.endpoint(NATIVE_OUT)

    def accessory(self, **changes):
        """A good one, but for the changes."""
        return self.device(configuration(*self.link(), *self.native()), **changes)

    def device(self, *configurations, head=None, **more):
        return Device(self.say, head or self.head(count=len(configurations)), configurations, **more)

    def head_unit(self):
        return HeadUnit(self.socket_path)

    def make(self):
        link, native, endpoint = self.link, self.native, self.endpoint
        good = *link(), *native()
        kinds = {
            "accessory": lambda: self.accessory(link=self.head_unit()),
            # Linux takes 8 of them.
            "configurations": lambda: self.device(
                *[configuration(*good, number=number) for number in range(1, 256)], link=self.head_unit()
            ),
            "strings": lambda: self.accessory(link=self.head_unit(), strings=LYING_STRINGS),
            # Linux refuses these.
            "device-cut": lambda: self.accessory(head=self.head()[:17]),
            "configurations-none": lambda: self.device(head=self.head(count=0)),
            "configuration-length": lambda: self.device(configuration(*good, length=4)),
            # Linux takes these, and passes on what they say.
            "device-length": lambda: self.accessory(head=self.head(length=0)),
            "total-long": lambda: self.device(configuration(*good, total=200)),
            "total-short": lambda: self.device(configuration(*good, total=20)),
            "total-tiny": lambda: self.device(configuration(*good, total=4)),
            "length-zero": lambda: self.device(configuration(*link(), bytes(2), *native())),
            "length-interface": lambda: self.device(configuration(interface(0, 0, LINK, 0, 4, length=5))),
            "length-endpoint": lambda: self.device(configuration(*link(endpoint(LINK_IN, length=4)))),
            "length-beyond": lambda: self.device(configuration(*link(), endpoint(NATIVE_IN, length=200))),
            "endless-configurations": lambda: self.device(*[without_end(bytes([255, 0x41]) + bytes(253))] * 255),
            "endless-interfaces": lambda: self.device(without_end(link()[0])),
            "endless-endpoints": lambda: self.device(without_end(endpoint(LINK_IN), link()[0])),
            "endpoint-first": lambda: self.device(configuration(endpoint(LINK_IN), *link())),
            "pair-none": lambda: self.device(configuration(interface(0, 0, LINK, 0, 4))),
            "pair-in": lambda: self.device(configuration(*link(endpoint(LINK_IN)))),
            "pair-out": lambda: self.device(configuration(*link(endpoint(LINK_OUT)))),
            "pair-interrupt": lambda: self.device(
                configuration(*link(endpoint(LINK_IN, INTERRUPT), endpoint(LINK_OUT, INTERRUPT)))
            ),
            "pair-empty": lambda: self.device(configuration(*link(endpoint(LINK_IN, packet=0), endpoint(LINK_OUT)))),
            # Linux drops an endpoint with such an address.
            "pair-address": lambda: self.device(configuration(*link(endpoint(LINK_IN | 0x10), endpoint(LINK_OUT)))),
            # The descriptors are right, what follows is not.
            "unconfigured": lambda: self.accessory(stalls=[SET_CONFIGURATION]),
            "link-stalls": lambda: self.accessory(link=Refusal()),
            "link-silent": lambda: self.accessory(),
            "link-deaf": lambda: self.accessory(link=Deafness()),
            "link-empty": lambda: self.accessory(link=EmptyPackets()),
            "link-zeros": lambda: self.accessory(link=Zeros()),
            "link-noise": lambda: self.accessory(link=Noise()),
            "setting-stalls": lambda: self.accessory(link=self.head_unit(), stalls=[SET_INTERFACE]),
            "setting-ignored": lambda: self.accessory(link=self.head_unit(), ignores=[SET_INTERFACE]),
            "native-stalls": lambda: self.accessory(link=self.head_unit(), native=Refusal()),
            "native-deaf": lambda: self.accessory(link=self.head_unit(), native=Deafness()),
            "native-noise": lambda: self.accessory(link=self.head_unit(), native=Noise()),
        }
        return kinds[self.kind]()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--link", metavar="SOCKET")
    parser.add_argument("names", metavar="KIND[@SPEED]", nargs="+")
    arguments = parser.parse_args()
    buses = []
    for product, name in enumerate(arguments.names, start=1):
        maker = Maker(name, product, arguments.link)
        buses.append(Bus(maker.make(), maker.speed))
    while buses:
        ready = select.select([source for bus in buses for source in bus.sources()], [], [])[0]
        for bus in list(buses):
            try:
                if bus.socket in ready:
                    bus.serve()
                bus.give()
            except (EOFError, OSError):
                buses.remove(bus)


if __name__ == "__main__":
    main()

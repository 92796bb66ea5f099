#!/usr/bin/python3
# A plain copy over the lab's virtual cables, with nothing of this project in it: what the throughput of sessions is
# compared with. Each form moves BYTES there and back and prints how many seconds that took.
#   plain-copy.py usb-device MOUNT        the far end of `usb`, a FunctionFS that sends back what it gets
#   plain-copy.py usb BYTES
#   plain-copy.py rfcomm-listen ADDRESS CHANNEL
#   plain-copy.py rfcomm FROM ADDRESS CHANNEL BYTES
# SPDX-License-Identifier: Apache-2.0
import ctypes
import os
import socket
import struct
import sys
import threading
import time

CHUNK = 1 << 16
# RFCOMM moves less than a kilobyte in a frame; a socket that is given much at once stops for long.
RFCOMM_CHUNK = 1 << 12
VENDOR, PRODUCT = 0x1D6B, 0x0104
TO_HOST, TO_DEVICE = 0x81, 0x02
TIMEOUT_MILLISECONDS = 10_000


def describe():
    """One interface with a bulk pair, at full, high and super speed (linux/usb/functionfs.h)."""
    speeds = []
    for packet in (64, 512, 1024):
        descriptors = [struct.pack("<9B", 9, 4, 0, 0, 2, 0xFF, 0, 0, 0)]
        for address in (TO_HOST, TO_DEVICE):
            descriptors.append(struct.pack("<4BHB", 7, 5, address, 2, packet, 0))
            if packet == 1024:
                descriptors.append(struct.pack("<4BH", 6, 0x30, 0, 0, 0))
        speeds.append(descriptors)
    body = struct.pack("<3I", *map(len, speeds)) + b"".join(b"".join(each) for each in speeds)
    return struct.pack("<3I", 3, len(body) + 12, 1 | 2 | 4) + body, struct.pack("<4I", 2, 16, 0, 0)


def usb_device(mount):
    control = os.open(mount + "/ep0", os.O_RDWR)
    for each in describe():
        os.write(control, each)
    to_host, to_device = (os.open(mount + name, os.O_RDWR) for name in ("/ep1", "/ep2"))
    print("ready", flush=True)
    while True:
        os.write(to_host, os.read(to_device, CHUNK))


def both_ways(count, send, receive, chunk=CHUNK):
    """Sends `count` bytes and receives as many at the same time."""
    data = os.urandom(chunk) * (count // chunk)
    back = []
    begin = time.monotonic()
    sender = threading.Thread(target=lambda: [send(data[at : at + chunk]) for at in range(0, len(data), chunk)])
    sender.start()
    received = 0
    while received < len(data):
        back.append(receive(len(data) - received))
        received += len(back[-1])
    seconds = time.monotonic() - begin
    sender.join()
    if b"".join(back) != data:
        sys.exit("other bytes came back")
    print(seconds)


def usb(count):
    usb = ctypes.CDLL("libusb-1.0.so.0")
    usb.libusb_open_device_with_vid_pid.restype = ctypes.c_void_p
    context = ctypes.c_void_p()
    if usb.libusb_init(ctypes.byref(context)) != 0:
        sys.exit("no libusb")
    device = ctypes.c_void_p(usb.libusb_open_device_with_vid_pid(context, VENDOR, PRODUCT))
    if not device or usb.libusb_claim_interface(device, 0) != 0:
        sys.exit("no device")

    def transfer(endpoint, buffer, size):
        done = ctypes.c_int()
        status = usb.libusb_bulk_transfer(device, endpoint, buffer, size, ctypes.byref(done), TIMEOUT_MILLISECONDS)
        if status != 0:
            sys.exit(f"transfer: {status}")
        return done.value

    buffer = ctypes.create_string_buffer(CHUNK)

    def receive(rest):
        done = transfer(TO_HOST, buffer, CHUNK)
        return buffer.raw[:done]

    both_ways(count, lambda data: transfer(TO_DEVICE, data, len(data)), receive)


def rfcomm_socket(address, channel):
    one = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_STREAM, socket.BTPROTO_RFCOMM)
    one.bind((address, channel))
    return one


def rfcomm_listen(address, channel):
    with rfcomm_socket(address, channel) as listener:
        listener.listen(1)
        print("ready", flush=True)
        peer, _ = listener.accept()
        with peer:
            try:
                while data := peer.recv(RFCOMM_CHUNK):
                    peer.sendall(data)
            # How the end of an RFCOMM connection arrives.
            except ConnectionResetError:
                pass


def rfcomm(source, address, channel, count):
    with rfcomm_socket(source, 0) as one:
        one.connect((address, channel))
        both_ways(count, one.sendall, lambda rest: one.recv(min(rest, RFCOMM_CHUNK)), RFCOMM_CHUNK)


match sys.argv[1:]:
    case ["usb-device", mount]:
        usb_device(mount)
    case ["usb", count]:
        usb(int(count))
    case ["rfcomm-listen", address, channel]:
        rfcomm_listen(address, int(channel))
    case ["rfcomm", source, address, channel, count]:
        rfcomm(source, address, int(channel), int(count))
    case _:
        sys.exit("usage: see the head of this file")

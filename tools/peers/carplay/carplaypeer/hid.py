# SPDX-License-Identifier: Apache-2.0
"""HID descriptors and reports (#hid-descriptors).

iPhones accept these layouts [1 L]; the usages are in the public tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .problems import Problem

INPUT, COLLECTION, END_COLLECTION = 0x80, 0xA0, 0xC0
USAGE_PAGE, LOGICAL_MIN, LOGICAL_MAX, REPORT_SIZE, REPORT_COUNT, REPORT_ID = 0x04, 0x14, 0x24, 0x74, 0x94, 0x84
USAGE, USAGE_MIN, USAGE_MAX = 0x08, 0x18, 0x28
CONSTANT, VARIABLE, RELATIVE = 1, 2, 4
APPLICATION, LOGICAL = 1, 2
DIGITIZER, DESKTOP, BUTTON, CONSUMER, TELEPHONY, KEYBOARD = 0x0D, 0x01, 0x09, 0x0C, 0x0B, 0x07
MAX_BITS = 8 * 64  # limit of one report; a hostile descriptor must not create large fields

MEDIA_KEYS = {"play": 0xB0, "pause": 0xB1, "playPause": 0xCD, "next": 0xB5, "previous": 0xB6, "guidance": 0x29E}
TELEPHONY_KEYS = ({"hook": 0x20, "flash": 0x21, "drop": 0x26, "mute": 0x2F}
                  | {str(digit): 0xB0 + digit for digit in range(10)} | {"star": 0xBA, "pound": 0xBB})


def _item(tag: int, value: int, signed: bool = False) -> bytes:
    for code, size in ((1, 1), (2, 2), (3, 4)):
        low, high = (-(1 << 8 * size - 1), 1 << 8 * size - 1) if signed else (0, 1 << 8 * size)
        if low <= value < high:
            return bytes([tag | code]) + value.to_bytes(size, "little", signed=signed)
    raise ValueError(f"an item of {value}")


def _input(flags: int, size: int, count: int, low: int, high: int) -> bytes:
    return (_item(LOGICAL_MIN, low, True) + _item(LOGICAL_MAX, high, True) + _item(REPORT_SIZE, size)
            + _item(REPORT_COUNT, count) + _item(INPUT, flags))


def _collection(page: int, usage: int, kind: int, content: bytes) -> bytes:
    return (_item(USAGE_PAGE, page) + _item(USAGE, usage) + _item(COLLECTION, kind) + content
            + bytes([END_COLLECTION]))


def touch_descriptor(width: int, height: int, slots: int = 2) -> bytes:
    """Returns the descriptor of a touch screen. The logical maximum is literally the size in pixels."""
    finger = (_item(USAGE, 0x38) + _input(VARIABLE, 8, 1, 0, 255)
              + _item(USAGE, 0x33) + _input(VARIABLE, 1, 1, 0, 1) + _input(CONSTANT, 7, 1, 0, 1)
              + _item(USAGE_PAGE, DESKTOP) + _item(USAGE, 0x30) + _input(VARIABLE, 16, 1, 0, width)
              + _item(USAGE, 0x31) + _input(VARIABLE, 16, 1, 0, height))
    return _collection(DIGITIZER, 0x04, APPLICATION, _collection(DIGITIZER, 0x22, LOGICAL, finger) * slots)


def knob_descriptor() -> bytes:
    """Returns the descriptor of a knob: select, home, back, nudge, wheel."""
    content = (_item(USAGE_PAGE, BUTTON) + _item(USAGE, 1) + _input(VARIABLE, 1, 1, 0, 1)
               + _item(USAGE_PAGE, CONSUMER) + _item(USAGE, 0x223) + _item(USAGE, 0x224) + _input(VARIABLE, 1, 2, 0, 1)
               + _input(CONSTANT, 5, 1, 0, 1)
               + _item(USAGE_PAGE, DESKTOP) + _item(USAGE, 0x30) + _item(USAGE, 0x31)
               + _input(VARIABLE, 8, 2, -127, 127)
               + _item(USAGE, 0x38) + _input(VARIABLE | RELATIVE, 8, 1, -127, 127))
    return _collection(DESKTOP, 0x08, APPLICATION, content)


def _keys_descriptor(page: int, usage: int, usages: list[tuple[int, int]]) -> bytes:
    content = b""
    for key_page, key in usages:
        # A usage of four bytes contains its page.
        content += _item(USAGE, key) if key_page == page else bytes([USAGE | 3]) + (
            key_page << 16 | key).to_bytes(4, "little")
    # The index counts from the logical minimum, 1. The value 0 is out of range and means that no key is pressed.
    return _collection(page, usage, APPLICATION, content + _input(0, 8, 1, 1, len(usages)))


def media_descriptor() -> bytes:
    """Returns the descriptor of the media keys."""
    return _keys_descriptor(CONSUMER, 0x01, [(CONSUMER, usage) for usage in MEDIA_KEYS.values()])


def telephony_descriptor() -> bytes:
    """Returns the descriptor of the telephony keys; the last one deletes."""
    return _keys_descriptor(TELEPHONY, 0x07,
                            [(TELEPHONY, usage) for usage in TELEPHONY_KEYS.values()] + [(KEYBOARD, 0x2A)])


def touch_report(x: int, y: int, touches: bool, slots: int = 2) -> bytes:
    """Returns a report with one finger in slot 0. After a lift, X and Y keep their values."""
    result = bytes([0, int(touches)]) + x.to_bytes(2, "little") + y.to_bytes(2, "little")
    return result + b"".join(bytes([slot, 0, 0, 0, 0, 0]) for slot in range(1, slots))


def knob_report(select: bool = False, home: bool = False, back: bool = False, x: int = 0, y: int = 0, wheel: int = 0
                ) -> bytes:
    """Returns a report of a knob."""
    return (bytes([select | home << 1 | back << 2]) + x.to_bytes(1, "little", signed=True)
            + y.to_bytes(1, "little", signed=True) + wheel.to_bytes(1, "little", signed=True))


def key_report(names: dict[str, int], name: str | None) -> bytes:
    """Returns a report with the index of a key, from 1, or 0 for no key."""
    return bytes([list(names).index(name) + 1 if name else 0])


@dataclass(frozen=True)
class Field:
    """A field of a report."""

    offset: int
    size: int
    low: int
    high: int
    usages: tuple[int, ...]  # page << 16 | usage; one for a variable, all indexes for an array
    is_array: bool
    is_relative: bool
    group: int  # the number of the innermost logical collection, 0 outside

    def value(self, bits: int) -> int:
        """Returns the field of a report given as an integer, little endian."""
        raw = bits >> self.offset & (1 << self.size) - 1
        return raw - (1 << self.size) if self.low < 0 and raw >> self.size - 1 else raw


@dataclass
class Descriptor:
    """The input fields of a descriptor, as a phone reads them."""

    fields: list[Field] = field(default_factory=list)
    bits: int = 0
    usage: int = 0  # usage of the application collection, page << 16 | usage

    @staticmethod
    def parse(data: bytes) -> Descriptor:
        """Parses the common items. Raises `badInfo`."""
        return _DescriptorReader(data).run()

    def read(self, report: bytes) -> list[tuple[Field, int]]:
        """Returns each field with its value. Raises `badPlist` for a report of another length."""
        if len(report) * 8 != self.bits:
            raise Problem("badPlist", f"a report of {len(report)} bytes, the descriptor says {self.bits} bits")
        number = int.from_bytes(report, "little")
        return [(entry, entry.value(number)) for entry in self.fields]

    def pressed(self, report: bytes) -> list[int]:
        """Returns the active usages: buttons with the value 1, and indexes of arrays."""
        result = []
        for entry, value in self.read(report):
            if entry.is_array and entry.low <= value < entry.low + len(entry.usages):
                result.append(entry.usages[value - entry.low])
            elif not entry.is_array and entry.size == 1 and value:
                result.append(entry.usages[0])
        return result

    def touch(self, report: bytes) -> tuple[bool, float, float] | None:
        """Returns the first finger: touching, X and Y as fractions of the maximum. None without a finger."""
        values = {}
        for entry, value in self.read(report):
            if entry.group == 1 and entry.usages:
                values[entry.usages[0]] = (value, entry.high)
        usages = (DIGITIZER << 16 | 0x33, DESKTOP << 16 | 0x30, DESKTOP << 16 | 0x31)
        tip, x, y = (values.get(usage) for usage in usages)
        if tip is None or x is None or y is None or x[1] <= 0 or y[1] <= 0:
            return None
        return bool(tip[0]), x[0] / x[1], y[0] / y[1]


class _DescriptorReader:
    def __init__(self, data: bytes):
        self._data = data
        self._result = Descriptor()
        self._globals = {USAGE_PAGE: 0, LOGICAL_MIN: 0, LOGICAL_MAX: 0, REPORT_SIZE: 0, REPORT_COUNT: 0}
        self._usages: list[int] = []
        self._range_start: int | None = None
        self._depth = self._groups = self._group_depth = 0

    def run(self) -> Descriptor:
        at = 0
        while at < len(self._data):
            prefix = self._data[at]
            size = (0, 1, 2, 4)[prefix & 3]
            value = self._data[at + 1:at + 1 + size]
            if prefix == 0xFE or len(value) < size:
                raise Problem("badInfo", "a HID descriptor with a long or cut item")
            at += 1 + size
            self._take(prefix & 0xFC, value)
        if not self._result.bits or self._result.bits % 8 or self._depth:
            raise Problem("badInfo", "a HID descriptor without a report of whole bytes")
        return self._result

    def _take(self, tag: int, value: bytes) -> None:
        number = int.from_bytes(value, "little")
        if tag in (LOGICAL_MIN, LOGICAL_MAX):
            low = self._globals[LOGICAL_MIN]
            # A maximum is signed only if the minimum is negative: many descriptors write 255 in one byte.
            signed = tag == LOGICAL_MIN or low < 0
            self._globals[tag] = int.from_bytes(value, "little", signed=signed)
        elif tag in self._globals:
            self._globals[tag] = number
        elif tag == REPORT_ID:
            raise Problem("badInfo", "a HID descriptor with report ids, which no CarPlay device is known to use")
        elif tag in (USAGE, USAGE_MIN, USAGE_MAX):
            self._usage(tag, number if len(value) == 4 else self._globals[USAGE_PAGE] << 16 | number)
        elif tag == COLLECTION:
            self._open(number)
        elif tag == END_COLLECTION:
            self._close()
        elif tag == INPUT:
            self._input(number)
            self._clear()

    def _usage(self, tag: int, usage: int) -> None:
        if tag == USAGE:
            self._usages.append(usage)
        elif tag == USAGE_MIN:
            self._range_start = usage
        elif self._range_start is not None and 0 <= usage - self._range_start < MAX_BITS:
            self._usages += range(self._range_start, usage + 1)
        if len(self._usages) > MAX_BITS:
            raise Problem("badInfo", "a HID descriptor with too many usages")

    def _open(self, kind: int) -> None:
        self._depth += 1
        if kind == APPLICATION and self._usages and not self._result.usage:
            self._result.usage = self._usages[-1]
        if kind == LOGICAL:
            self._groups += 1
            self._group_depth = self._depth
        self._clear()

    def _close(self) -> None:
        if self._depth == self._group_depth:
            self._group_depth = 0
        self._depth -= 1
        if self._depth < 0:
            raise Problem("badInfo", "a HID descriptor closes a collection that is not open")

    def _clear(self) -> None:
        self._usages, self._range_start = [], None

    def _input(self, flags: int) -> None:
        size, count = self._globals[REPORT_SIZE], self._globals[REPORT_COUNT]
        low, high = self._globals[LOGICAL_MIN], self._globals[LOGICAL_MAX]
        if size > 32 or self._result.bits + size * count > MAX_BITS:
            raise Problem("badInfo", "a HID descriptor with a report that is too long")
        for index in range(count if not flags & CONSTANT and size else 0):
            usages = (tuple(self._usages) if not flags & VARIABLE else
                      tuple(self._usages[min(index, len(self._usages) - 1):][:1]))
            self._result.fields.append(Field(
                self._result.bits + index * size, size, low, high, usages, not flags & VARIABLE,
                bool(flags & RELATIVE), self._groups if self._group_depth else 0))
        self._result.bits += size * count

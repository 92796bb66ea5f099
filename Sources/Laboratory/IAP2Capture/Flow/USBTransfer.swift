// swift-iap2 · Apache-2.0

import IAP2

/// A record of a USB capture: the submission or the completion of a transfer. Ranges are offsets in the record
/// (CaptureFormats.md#usbmon, CaptureFormats.md#usbpcap).
struct USBTransfer {
  enum Kind {
    static let interrupt: UInt8 = 1
    static let control: UInt8 = 2
    static let bulk: UInt8 = 3
  }

  /// The identifier that a submission and its completion share.
  var id: UInt64
  var bus: UInt16
  var device: UInt8
  /// The endpoint address; bit 7 is set towards the host.
  var endpoint: UInt8
  var kind: UInt8
  var isCompletion: Bool
  /// Whether this is a completion without an error.
  var succeeded: Bool
  /// Whether this is a completion that shows that the device was disconnected (Linux only).
  var isGone: Bool
  var data: Range<Int>
  /// The eight setup bytes of a control transfer.
  var setup: Range<Int>?
  /// Whether the record has the bytes of the transfer. The submission has them towards the device, the completion
  /// towards the host.
  var hasBytes: Bool

  /// The Linux status values ENODEV and ESHUTDOWN.
  private static let gone: [Int32] = [-19, -108]

  var isToHost: Bool { endpoint & 0x80 != 0 }

  /// Creates a transfer whose bytes are all known.
  init(
    id: UInt64, device: UInt8, endpoint: UInt8, kind: UInt8, isCompletion: Bool, succeeded: Bool = true,
    data: Range<Int>, setup: Range<Int>? = nil
  ) {
    self.id = id
    bus = 0
    self.device = device
    self.endpoint = endpoint
    self.kind = kind
    self.isCompletion = isCompletion
    self.succeeded = isCompletion && succeeded
    isGone = false
    self.data = data
    self.setup = setup
    hasBytes = true
  }

  /// Reads a Linux usbmon record; fails when it is too short.
  init?(linux bytes: RawSpan, headerByteCount: Int, isLittleEndian: Bool) {
    guard bytes.byteCount >= headerByteCount else { return nil }
    id = bytes.integer(0, isLittleEndian: isLittleEndian)
    isCompletion = bytes.byte(8) != UInt8(ascii: "S")
    kind = bytes.byte(9)
    endpoint = bytes.byte(10)
    device = bytes.byte(11)
    bus = bytes.integer(12, isLittleEndian: isLittleEndian)
    let isSetup = kind == Kind.control && bytes.byte(14) == 0
    let status: UInt32 = bytes.integer(28, isLittleEndian: isLittleEndian)
    succeeded = isCompletion && status == 0
    isGone = isCompletion && Self.gone.contains(Int32(bitPattern: status))
    hasBytes = bytes.byte(15) == 0 && (isCompletion == (endpoint & 0x80 != 0) || isSetup)
    setup = isSetup && headerByteCount >= 48 ? 40..<48 : nil
    let stated = Int(bytes.integer(36, isLittleEndian: isLittleEndian) as UInt32)
    var start = headerByteCount
    if headerByteCount == 64, kind == 0 {
      let descriptors = Int(bytes.integer(60, isLittleEndian: isLittleEndian) as UInt32)
      start += min(descriptors, (bytes.byteCount - start) / 16) * 16
    }
    data = start..<min(bytes.byteCount, start + stated)
  }

  /// Reads a USBPcap record, whose header states its own length.
  init?(usbPcap bytes: RawSpan) {
    guard bytes.byteCount >= 27 else { return nil }
    let header = Int(bytes.integer(0, isLittleEndian: true) as UInt16)
    guard header >= 27, header <= bytes.byteCount else { return nil }
    id = bytes.integer(2, isLittleEndian: true)
    let status: UInt32 = bytes.integer(10, isLittleEndian: true)
    isCompletion = bytes.byte(16) & 1 == 1
    succeeded = isCompletion && status == 0
    isGone = false
    bus = bytes.integer(17, isLittleEndian: true)
    device = bytes.byte(19)
    endpoint = bytes.byte(21)
    kind = bytes.byte(22)
    // The record of a control transfer's setup stage has the eight setup bytes before the data.
    let isSetup = kind == Kind.control && header >= 28 && bytes.byte(27) == 0
    hasBytes = isCompletion == (endpoint & 0x80 != 0) || isSetup
    let stated = Int(bytes.integer(23, isLittleEndian: true) as UInt32)
    data = header..<min(bytes.byteCount, header + stated)
    setup = nil
    if isSetup, data.count >= 8 {
      setup = data.lowerBound..<(data.lowerBound + 8)
      data = (data.lowerBound + 8)..<data.upperBound
    }
  }
}

// swift-iap2 · Apache-2.0

/// What a file-transfer datagram does. Evidence: FileTransfer.md#operations (high; LIVI, CAT, BTFT, CPPFT).
public struct FileTransferOperation: Sendable, Hashable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let data = FileTransferOperation(rawValue: 0x00)
  public static let start = FileTransferOperation(rawValue: 0x01)
  public static let cancel = FileTransferOperation(rawValue: 0x02)
  public static let pause = FileTransferOperation(rawValue: 0x03)
  public static let setup = FileTransferOperation(rawValue: 0x04)
  public static let success = FileTransferOperation(rawValue: 0x05)
  public static let failure = FileTransferOperation(rawValue: 0x06)
  public static let lastData = FileTransferOperation(rawValue: 0x40)
  public static let firstData = FileTransferOperation(rawValue: 0x80)
  public static let onlyData = FileTransferOperation(rawValue: 0xC0)

  /// The operation's name; nil for one nobody has described.
  public var name: String? {
    switch self {
    case .data: "data"
    case .start: "start"
    case .cancel: "cancel"
    case .pause: "pause"
    case .setup: "setup"
    case .success: "success"
    case .failure: "failure"
    case .lastData: "lastData"
    case .firstData: "firstData"
    case .onlyData: "onlyData"
    default: nil
    }
  }

  /// Bits 80 and 40 mark the first and the last piece of a file.
  package var isData: Bool { rawValue & 0x3F == 0 }
  package var isLast: Bool { rawValue & 0x40 != 0 }
}

/// What a file-transfer setup says: the size, and optionally a type with data of its own.
public struct FileTransferSetup: Sendable, Hashable {
  /// Bytes.
  public var byteCount: UInt64
  /// 2 is artwork (medium, BTFT); nil when absent.
  public var type: UInt16?

  public init(byteCount: UInt64, type: UInt16?) {
    self.byteCount = byteCount
    self.type = type
  }

  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= 8 else { return nil }
    byteCount = (0..<8).reduce(0) { $0 << 8 | UInt64(bytes.byte($1)) }
    type = bytes.byteCount >= 10 ? bytes.bigEndian16(8) : nil
  }

  var bytes: [UInt8] {
    var bytes = (0..<8).map { UInt8(truncatingIfNeeded: byteCount >> (56 - 8 * UInt64($0))) }
    if let type { bytes += [UInt8(type >> 8), UInt8(truncatingIfNeeded: type)] }
    return bytes
  }
}

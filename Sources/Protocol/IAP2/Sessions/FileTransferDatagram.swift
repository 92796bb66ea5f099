// swift-iap2 · Apache-2.0

/// The operation of a file-transfer datagram. Evidence: FileTransfer.md#operations (high; LIVI, CAT, BTFT, CPPFT).
public struct FileTransferOperation: Sendable, Hashable {
  /// The operation byte.
  public var rawValue: UInt8
  /// Creates an operation from its byte.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Data: a piece of a file that is neither the first nor the last.
  package static let data = FileTransferOperation(rawValue: 0x00)
  /// Start: the receiver asks for data, at the beginning or after a pause.
  package static let start = FileTransferOperation(rawValue: 0x01)
  /// Cancel: either side ends the transfer.
  package static let cancel = FileTransferOperation(rawValue: 0x02)
  /// Pause: the receiver asks the sender to stop for now.
  package static let pause = FileTransferOperation(rawValue: 0x03)
  /// Setup: the sender offers a file; the datagram has its size and type.
  package static let setup = FileTransferOperation(rawValue: 0x04)
  /// Success: the receiver has the whole file.
  package static let success = FileTransferOperation(rawValue: 0x05)
  /// Failure: the receiver could not take the file.
  package static let failure = FileTransferOperation(rawValue: 0x06)
  /// Data: the last piece of a file.
  package static let lastData = FileTransferOperation(rawValue: 0x40)
  /// Data: the first piece of a file.
  package static let firstData = FileTransferOperation(rawValue: 0x80)
  /// Data: the only piece of a file.
  package static let onlyData = FileTransferOperation(rawValue: 0xC0)

  /// The name of the operation; nil for one that is not described.
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

  /// Whether the datagram carries a piece of a file. Bit 80 marks the first piece and bit 40 the last one
  /// (FileTransfer.md#operations; low).
  package var isData: Bool { rawValue & 0x3F == 0 }
  /// Whether a data datagram is the last one of its file.
  package var isLast: Bool { rawValue & 0x40 != 0 }
}

/// The content of a setup datagram: the size, and an optional type, which may have data of its own.
public struct FileTransferSetup: Sendable, Hashable {
  /// The size of the file in bytes. This project reads 0 as an unknown size.
  public var byteCount: UInt64
  /// The type of the file: 2 is artwork (FileTransfer.md#setup-type; medium, BTFT). Nil if it is absent.
  public var type: UInt16?

  /// Creates the content of a setup datagram.
  package init(byteCount: UInt64, type: UInt16?) {
    self.byteCount = byteCount
    self.type = type
  }

  /// Reads the content; nil if it has less than eight bytes. Data after the type is ignored.
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

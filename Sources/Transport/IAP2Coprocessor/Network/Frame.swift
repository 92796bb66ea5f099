// swift-iap2 · Apache-2.0

/// One request or answer between a program and whoever shares a coprocessor. The article of this target has the whole
/// framing.
///
///     offset 0  4 bytes  magic, `iACP`
///            4  1        version of the framing, 1
///            5  1        kind
///            6  2        bytes of payload, big-endian
///            8           payload
public struct Frame: Sendable, Equatable {
  /// Requests, and with bit 7 their answers.
  public enum Kind: UInt8, Sendable, CaseIterable {
    case information = 0x01
    case certificate = 0x02
    case serialNumber = 0x03
    case sign = 0x04
    case selfTest = 0x05

    /// What may come with the request.
    var requestByteCounts: ClosedRange<Int> {
      switch self {
      case .information, .certificate, .serialNumber, .selfTest: 0...0
      // The size of the chip's register.
      case .sign: 1...Register.challenge.byteCount
      }
    }

    /// What may come with its answer.
    var answerByteCounts: ClosedRange<Int> {
      switch self {
      case .information: 8...8
      // The parts of a 2.0C.
      case .certificate: 1...ChipVersion.version2C.certificatePartCount * Register.certificate(part: 0).byteCount
      case .serialNumber: 0...Register.serialNumber.byteCount
      case .sign: 1...Register.response.byteCount
      case .selfTest: 1...1
      }
    }
  }

  public enum Content: Sendable, Equatable {
    case request(Kind)
    case answer(Kind)
    /// Instead of an answer.
    case fault

    var number: UInt8 {
      switch self {
      case .request(let kind): kind.rawValue
      case .answer(let kind): kind.rawValue | Self.answerBit
      case .fault: Self.faultNumber
      }
    }

    static let answerBit: UInt8 = 0x80
    static let faultNumber: UInt8 = 0xFF

    init?(number: UInt8) {
      if number == Self.faultNumber {
        self = .fault
      } else if let kind = Kind(rawValue: number & ~Self.answerBit) {
        self = number & Self.answerBit == 0 ? .request(kind) : .answer(kind)
      } else {
        return nil
      }
    }

    var byteCounts: ClosedRange<Int> {
      switch self {
      case .request(let kind): kind.requestByteCounts
      case .answer(let kind): kind.answerByteCounts
      case .fault: FrameFault.byteCount...FrameFault.byteCount
      }
    }
  }

  public static let magic: [UInt8] = Array("iACP".utf8)
  public static let version: UInt8 = 1
  static let headByteCount = 8

  public var content: Content
  public var payload: [UInt8]

  public init(_ content: Content, _ payload: [UInt8] = []) {
    self.content = content
    self.payload = payload
  }

  public var bytes: [UInt8] {
    Self.magic + [
      Self.version, content.number, UInt8(truncatingIfNeeded: payload.count >> 8),
      UInt8(truncatingIfNeeded: payload.count),
    ] + payload
  }
}

/// Why bytes are no frame. The stream cannot be read on behind it.
public enum FrameProblem: Error, Sendable, Equatable {
  /// - Parameter offset: of the first byte that is not the magic's.
  case badMagic(offset: Int)
  case unknownVersion(UInt8)
  case unknownKind(UInt8)
  /// More or fewer bytes than its kind may have.
  case badLength(kind: UInt8, byteCount: Int, allowed: ClosedRange<Int>)
  /// Not what was to come: an answer to something else, or a request to who asks.
  case unexpected(kind: UInt8)
  /// The connection ended inside a frame, or before an answer.
  case truncated
}

extension FrameProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badMagic: "the other end does not speak the framing of shared coprocessors"
    case .unknownVersion(let version): "version \(version) of the framing, known is \(Frame.version)"
    case .unknownKind(let kind): "kind \(hex2(kind)) is not known"
    case .badLength(let kind, let count, let allowed):
      "kind \(hex2(kind)) with \(count) bytes, possible are \(allowed.lowerBound) to \(allowed.upperBound)"
    case .unexpected(let kind): "kind \(hex2(kind)) was not to come"
    case .truncated: "the connection ended before its answer"
    }
  }
}

/// Finds frames in a stream; keeps less than one frame.
public struct FrameReader: Sendable {
  private var bytes: [UInt8] = []

  public init() {}

  /// Nothing is left over.
  public var isEmpty: Bool { bytes.isEmpty }

  public mutating func append(_ more: [UInt8]) { bytes += more }

  /// The next whole frame; nil until it has come. What is wrong is told as soon as it can be seen.
  public mutating func next() throws(FrameProblem) -> Frame? {
    for (offset, byte) in Frame.magic.enumerated() where offset < bytes.count {
      guard bytes[offset] == byte else { throw .badMagic(offset: offset) }
    }
    if bytes.count > 4, bytes[4] != Frame.version { throw .unknownVersion(bytes[4]) }
    guard bytes.count > 5 else { return nil }
    guard let content = Frame.Content(number: bytes[5]) else { throw .unknownKind(bytes[5]) }
    guard bytes.count >= Frame.headByteCount else { return nil }
    let count = Int(bytes[6]) << 8 | Int(bytes[7])
    guard content.byteCounts.contains(count) else {
      throw .badLength(kind: bytes[5], byteCount: count, allowed: content.byteCounts)
    }
    guard bytes.count >= Frame.headByteCount + count else { return nil }
    defer { bytes.removeFirst(Frame.headByteCount + count) }
    return Frame(content, Array(bytes[Frame.headByteCount..<Frame.headByteCount + count]))
  }
}

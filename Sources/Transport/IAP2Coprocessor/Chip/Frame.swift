// swift-iap2 · Apache-2.0

/// One request or answer between a client and the program that shares a coprocessor. The article of this target
/// describes the whole framing.
///
///     offset 0  4 bytes  magic, `iACP`
///            4  1        version of the framing, 1
///            5  1        kind
///            6  2        bytes of payload, big-endian
///            8           payload
public struct Frame: Sendable, Equatable {
  /// The kinds of requests. An answer has the kind of its request, with bit 7 set.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// The chip's identification.
    case information = 0x01
    /// The certificate.
    case certificate = 0x02
    /// The serial number of the certificate.
    case serialNumber = 0x03
    /// The signature of a challenge.
    case sign = 0x04
    /// The self test.
    case selfTest = 0x05

    /// The payload sizes that the request may have, in bytes.
    var requestByteCounts: ClosedRange<Int> {
      switch self {
      case .information, .certificate, .serialNumber, .selfTest: 0...0
      // The size of the chip's challenge register.
      case .sign: 1...Register.challenge.byteCount
      }
    }

    /// The payload sizes that the answer may have, in bytes.
    var answerByteCounts: ClosedRange<Int> {
      switch self {
      case .information: 8...8
      // The size of the certificate registers of 2.0C.
      case .certificate: 1...ChipVersion.version2C.certificatePartCount * Register.certificate(part: 0).byteCount
      case .serialNumber: 0...Register.serialNumber.byteCount
      case .sign: 1...Register.response.byteCount
      case .selfTest: 1...1
      }
    }
  }

  /// The meaning of a frame.
  public enum Content: Sendable, Equatable {
    /// A request.
    case request(Kind)
    /// An answer to a request of this kind.
    case answer(Kind)
    /// A fault that replaces an answer. Its payload is a ``FrameFault``.
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

  /// The first four bytes of a frame, `iACP`.
  public static let magic: [UInt8] = Array("iACP".utf8)
  /// The version of the framing.
  public static let version: UInt8 = 1
  static let headByteCount = 8

  /// The meaning of the frame.
  public var content: Content
  /// The payload, without the head.
  public var payload: [UInt8]

  /// Creates a frame.
  public init(_ content: Content, _ payload: [UInt8] = []) {
    self.content = content
    self.payload = payload
  }

  /// The encoded frame.
  public var bytes: [UInt8] {
    Self.magic + [
      Self.version, content.number, UInt8(truncatingIfNeeded: payload.count >> 8),
      UInt8(truncatingIfNeeded: payload.count),
    ] + payload
  }
}

/// The reason why bytes are not a frame. The stream cannot be read any further.
public enum FrameProblem: Error, Sendable, Equatable {
  /// The first bytes are not the magic.
  ///
  /// - Parameter offset: The position of the first wrong byte.
  case badMagic(offset: Int)
  /// The version of the framing is unknown.
  case unknownVersion(UInt8)
  /// The kind is unknown.
  case unknownKind(UInt8)
  /// The payload has a size in bytes that its kind may not have.
  case badLength(kind: UInt8, byteCount: Int, allowed: ClosedRange<Int>)
  /// The frame was not expected: an answer to another request, or a request to a client.
  case unexpected(kind: UInt8)
  /// The connection ended inside a frame or before an answer.
  case truncated
}

extension FrameProblem: CustomStringConvertible {
  /// A description for users.
  public var description: String {
    switch self {
    case .badMagic: "the other end does not speak the framing of shared coprocessors"
    case .unknownVersion(let version):
      "unsupported version \(version) of the framing; this program has version \(Frame.version)"
    case .unknownKind(let kind): "unknown kind \(hex2(kind))"
    case .badLength(let kind, let count, let allowed):
      "kind \(hex2(kind)) with \(count) bytes, allowed are \(allowed.lowerBound) to \(allowed.upperBound)"
    case .unexpected(let kind): "unexpected kind \(hex2(kind))"
    case .truncated: "the connection ended before its answer"
    }
  }
}

/// A reader that finds frames in a stream. Once ``next()`` has returned nil, it keeps less than one frame.
public struct FrameReader: Sendable {
  private var bytes: [UInt8] = []

  /// Creates a reader without bytes.
  public init() {}

  /// Whether no bytes are left.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Appends bytes of the stream.
  public mutating func append(_ more: [UInt8]) { bytes += more }

  /// Returns the next complete frame; nil until it has arrived. Throws a problem as soon as the bytes show it.
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

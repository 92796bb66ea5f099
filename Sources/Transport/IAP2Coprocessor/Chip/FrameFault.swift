// swift-iap2 · Apache-2.0

/// A fault that replaces an answer: a reason and two numbers.
public struct FrameFault: Error, Sendable, Hashable {
  /// The reason of a fault. It determines the meaning of the numbers.
  public enum Reason: UInt8, Sendable, CaseIterable {
    /// The request does not follow the framing. The server closes the connection after this fault.
    case badRequest = 1
    /// The server has another version of the framing and closes the connection after this fault. First number: its
    /// version.
    case unknownVersion = 2
    /// The challenge has the wrong length. Numbers: the length found and the length wanted, in bytes.
    case wrongChallengeLength = 3
    /// The chip did not acknowledge. First number: the time limit in milliseconds.
    case neverAnswered = 4
    /// The chip did not finish a signature. First number: the time limit in milliseconds.
    case neverFinished = 5
    /// The chip reported an error. First number: its error code.
    case chip = 6
    /// The chip returned invalid values.
    case unusableChip = 7
    /// The chip cannot be reached.
    case unavailable = 8
    /// The server has too many clients and closes the connection after this fault. First number: the clients it serves.
    case tooManyClients = 9
    /// Stands for a reason that is unknown to this version. Never sent.
    case unknown = 255
  }

  /// The size of a fault in bytes: a reason and two numbers of 16 bits.
  static let byteCount = 5

  /// The reason.
  public var reason: Reason
  /// The first number.
  public var first: UInt16
  /// The second number.
  public var second: UInt16

  /// Creates a fault. Numbers above 65535 become 65535.
  public init(_ reason: Reason, _ first: Int = 0, _ second: Int = 0) {
    self.reason = reason
    self.first = UInt16(clamping: first)
    self.second = UInt16(clamping: second)
  }

  /// Decodes a fault.
  ///
  /// - Parameter payload: Five bytes.
  init(payload: [UInt8]) {
    reason = Reason(rawValue: payload[0]) ?? .unknown
    first = UInt16(payload[1]) << 8 | UInt16(payload[2])
    second = UInt16(payload[3]) << 8 | UInt16(payload[4])
  }

  var payload: [UInt8] {
    [reason.rawValue]
      + [first, second].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }

  /// The frame of the fault.
  public var frame: Frame { Frame(.fault, payload) }

  init(_ error: CoprocessorError) {
    self =
      switch error {
      case .wrongChallengeLength(let found, let wanted): FrameFault(.wrongChallengeLength, found, wanted)
      case .neverAnswered(let milliseconds): FrameFault(.neverAnswered, milliseconds)
      case .neverFinished(let milliseconds): FrameFault(.neverFinished, milliseconds)
      case .chip(let error): FrameFault(.chip, Int(error.code))
      case .unknownVersion, .shortRead, .badLength: FrameFault(.unusableChip)
      case .remote(let fault): fault
      case .transport, .noAdapter, .transferTooLong, .badFrame, .noReply, .cancelled: FrameFault(.unavailable)
      }
  }

  init(_ problem: FrameProblem) {
    self =
      if case .unknownVersion = problem {
        FrameFault(.unknownVersion, Int(Frame.version))
      } else {
        FrameFault(.badRequest)
      }
  }

  /// The error that the client throws. Where possible, it is the error of a local chip.
  var error: CoprocessorError {
    switch reason {
    case .wrongChallengeLength: .wrongChallengeLength(found: Int(first), wanted: Int(second))
    case .neverAnswered: .neverAnswered(milliseconds: Int(first))
    case .neverFinished: .neverFinished(milliseconds: Int(first))
    case .chip: .chip(ChipError(code: UInt8(truncatingIfNeeded: first)))
    case .badRequest, .unknownVersion, .unusableChip, .unavailable, .tooManyClients, .unknown: .remote(self)
    }
  }
}

extension FrameFault: CustomStringConvertible {
  /// A description for users.
  public var description: String {
    switch reason {
    case .badRequest: "the request does not follow its framing"
    case .unknownVersion: "it has version \(first) of the framing"
    case .wrongChallengeLength: "the challenge has \(first) bytes, but its chip signs \(second)"
    case .neverAnswered: "its chip has not answered for \(first) ms"
    case .neverFinished: "its chip has not ended a signature in \(first) ms"
    case .chip: "\(ChipError(code: UInt8(truncatingIfNeeded: first)))"
    case .unusableChip: "its chip returned impossible values"
    case .unavailable: "its chip cannot be reached"
    case .tooManyClients: "it serves \(first) clients already"
    case .unknown: "it failed for an unknown reason"
    }
  }
}

// swift-iap2 · Apache-2.0

/// What an answer says that is none: a reason, and two numbers that belong to it.
public struct FrameFault: Error, Sendable, Hashable {
  public enum Reason: UInt8, Sendable, CaseIterable {
    /// The request is not of the framing; the connection is closed behind it.
    case badRequest = 1
    /// First number: the version that is spoken. The connection is closed behind it.
    case unknownVersion = 2
    /// Numbers: bytes found, bytes wanted.
    case wrongChallengeLength = 3
    /// The chip does not acknowledge, for so many milliseconds.
    case neverAnswered = 4
    /// It has not ended a signature in so many milliseconds.
    case neverFinished = 5
    /// First number: the chip's error code.
    case chip = 6
    /// The chip says what cannot be.
    case unusableChip = 7
    /// The way to the chip has failed.
    case unavailable = 8
    /// Too many clients; the connection is closed behind it. First number: how many are served.
    case tooManyClients = 9
    /// Taken for a reason that is not known here. Never sent.
    case unknown = 255
  }

  /// A reason and two numbers of 16 bits.
  static let byteCount = 5

  public var reason: Reason
  public var first: UInt16
  public var second: UInt16

  public init(_ reason: Reason, _ first: Int = 0, _ second: Int = 0) {
    self.reason = reason
    self.first = UInt16(clamping: first)
    self.second = UInt16(clamping: second)
  }

  /// - Parameter payload: five bytes.
  init(payload: [UInt8]) {
    reason = Reason(rawValue: payload[0]) ?? .unknown
    first = UInt16(payload[1]) << 8 | UInt16(payload[2])
    second = UInt16(payload[3]) << 8 | UInt16(payload[4])
  }

  var payload: [UInt8] {
    [reason.rawValue]
      + [first, second].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }

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
      case .medium, .noAdapter, .transferTooLong, .badFrame, .noReply, .cancelled: FrameFault(.unavailable)
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

  /// What it means to who asked: as if the chip were here, where that can be said.
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
  public var description: String {
    switch reason {
    case .badRequest: "the request is not of its framing"
    case .unknownVersion: "it speaks version \(first) of the framing"
    case .wrongChallengeLength: "a challenge of \(first) bytes, its chip signs \(second)"
    case .neverAnswered: "its chip has not answered for \(first) ms"
    case .neverFinished: "its chip has not ended a signature in \(first) ms"
    case .chip: "\(ChipError(code: UInt8(truncatingIfNeeded: first)))"
    case .unusableChip: "its chip says what cannot be"
    case .unavailable: "its chip cannot be reached"
    case .tooManyClients: "it serves \(first) clients already"
    case .unknown: "something failed, for a reason not known here"
    }
  }
}

// swift-iap2 · Apache-2.0

/// The reason why a session ended, or why a connection did not become one. The names are those of events.
public enum SessionEnd: String, Error, Sendable, Hashable, CaseIterable, Codable {
  /// The phone ended the session in order.
  case teardown
  /// The owner of this side stopped the session.
  case stopped
  /// The iAP2 link that started the session ended.
  case linkLost
  /// The control connection ended without a `TEARDOWN`.
  case controlLost
  /// The event connection ended.
  case eventLost
  /// The connection of a stream ended.
  case streamLost
  /// A request was not answered in time.
  case requestTimeout
  /// No request arrived in a live session, or no `/feedback` was answered.
  case feedbackSilent
  /// Nothing of the other side arrived in a session with a clock.
  case clockSilent
  /// The head unit does not read the screen.
  case videoStalled
  /// The session was not live in time.
  case setupTimeout
  /// A body of pairing is not a TLV8 list.
  case badTLV
  /// A body is not a binary property list within the limits.
  case badPlist
  /// A value of a request or of an answer is missing or wrong.
  case badValue
  /// A first line, a header or a length is malformed.
  case badRequest
  /// A length is over the limit.
  case tooLarge
  /// A frame of an encrypted channel has a wrong tag.
  case badFrame
  /// A message of the screen is malformed or has a wrong tag.
  case badScreen
  /// A frame of buffered sound is malformed or has a wrong tag.
  case badBuffered
  /// A package of the data stream is malformed.
  case badData
  /// `/info` lacks a value that the phone needs, or has an invalid one.
  case badInfo
  /// An answer lacks a required part, or answers no request.
  case badAnswer
  /// The proof of the password is wrong.
  case badProof
  /// A public key is invalid.
  case badPublicKey
  /// A signature is wrong.
  case badSignature
  /// A sealed list of pairing has a wrong tag.
  case badTag
  /// The other side is not paired.
  case unknownPeer
  /// The head unit is not the one that the iAP2 link named.
  case wrongPeer
  /// The head unit refused to pair.
  case pairingRefused
  /// Pair-setup was started too often.
  case tooManyTries
  /// The head unit's certificate is not trusted.
  case badCertificate
  /// The other side refused a request.
  case refused
  /// Another session is active.
  case busy
  /// The same phone set up a session on a new connection.
  case superseded
  /// The head unit demands pairing first, or does not pair and the phone does not continue without pairing.
  case notPaired
  /// The system refused a socket, or the coprocessor refused a signature.
  case unavailable

  /// Whether one of the sides ended the session on purpose.
  public var isOrderly: Bool { self == .teardown || self == .stopped }
}

extension SessionEnd {
  init(_ problem: RequestReader.Problem) {
    self =
      switch problem {
      case .bodyTooLong: .tooLarge
      case .badStart, .badHeaders, .badLength: .badRequest
      }
  }

  init(_ problem: PairingProblem) {
    self =
      switch problem {
      case .malformed: .badTLV
      case .refused(let error): error == PairingError.maximumTries.rawValue ? .tooManyTries : .pairingRefused
      case .transient: .pairingRefused
      case .unexpectedState: .badAnswer
      case .badProof: .badProof
      case .badPublicKey, .badKey: .badPublicKey
      case .badTag: .badTag
      case .badSignature, .nameTaken: .badSignature
      case .unknownPeer: .unknownPeer
      case .tooManyTries: .tooManyTries
      }
  }
}

/// The end of a session by this side, with what was wrong in a message of the other side.
struct SessionFailure: Error {
  let end: SessionEnd
  let problem: ValueProblem?

  init(_ end: SessionEnd, _ problem: ValueProblem? = nil) { (self.end, self.problem) = (end, problem) }
}

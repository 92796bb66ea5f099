// swift-iap2 · Apache-2.0

/// The reason why a session ended, or why a connection did not become one. The names are those of events.
public enum SessionEnd: String, Error, Sendable, Hashable, CaseIterable, Codable {
  /// The phone ended the session in order.
  case teardown
  /// This side was asked to stop.
  case stopped
  /// The iAP2 link over which the session was started is gone.
  case linkLost
  /// The control connection ended without a `TEARDOWN`.
  case controlLost
  /// The event connection ended.
  case eventLost
  /// The connection of a stream ended.
  case streamLost
  /// A request was not answered in time.
  case requestTimeout
  /// No `/feedback` came, or none was answered.
  case feedbackSilent
  /// No datagram of the other clock came.
  case clockSilent
  /// The head unit does not read the screen.
  case videoStalled
  /// The session was not live in time.
  case setupTimeout
  /// A body of pairing is no TLV8.
  case badTLV
  /// A body is no binary property list within the limits.
  case badPlist
  /// A first line, a header or a length has another form.
  case badRequest
  /// A length is over the limit.
  case tooLarge
  /// A frame of an encrypted channel has a wrong tag.
  case badFrame
  /// A message of the screen has another form or a wrong tag.
  case badScreen
  /// A frame of buffered sound has another form or a wrong tag.
  case badBuffered
  /// A package of the data stream has another form.
  case badData
  /// `/info` lacks what a phone needs.
  case badInfo
  /// An answer lacks what it must have, or nothing was asked.
  case badAnswer
  /// The proof of the password is wrong.
  case badProof
  /// A public key has no valid value.
  case badPublicKey
  /// A signature is wrong.
  case badSignature
  /// A sealed list of pairing has a wrong tag.
  case badTag
  /// The other side is not paired.
  case unknownPeer
  /// The other side is not the one that the iAP2 link named.
  case wrongPeer
  /// The head unit refused to pair.
  case pairingRefused
  /// Too many proofs failed before.
  case tooManyTries
  /// The head unit's certificate is not trusted.
  case badCertificate
  /// The other side refused a request.
  case refused
  /// Another session runs.
  case busy
  /// The head unit demands pairing first, or does not pair with a phone that does not go on without it.
  case notPaired
  /// The system refused a socket, or the coprocessor a signature.
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
      case .unexpectedState: .badAnswer
      case .badProof: .badProof
      case .badPublicKey, .badKey: .badPublicKey
      case .badTag: .badTag
      case .badSignature: .badSignature
      case .unknownPeer: .unknownPeer
      case .tooManyTries: .tooManyTries
      }
  }
}

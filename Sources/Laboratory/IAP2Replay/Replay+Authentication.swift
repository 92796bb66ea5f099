// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Roles

/// The state of the live session's authentication.
struct ReplayAuthentication: Sendable {
  /// A request to the authentication port: the id of the message that carries the answer, and its step.
  struct Question: Sendable {
    var message: UInt16
    /// The script index; nil for an answer that the recording lacks.
    var step: Int?
  }

  enum Judgement: Sendable, Equatable {
    case none, asked
    /// - Parameter challenge: the challenge to send; empty if there is none.
    case accepted(challenge: [UInt8])
    case refused
  }

  /// The open requests in order.
  var questions: [Question] = []
  /// The challenge that the live phone sent.
  var challenge: [UInt8]?
  /// The certificate of the live accessory.
  var certificate: [UInt8] = []
  /// The challenge that was sent to the live accessory.
  var sentChallenge: [UInt8]?
  var judgement = Judgement.none
  var verdict = Judgement.none

  /// The maximum number of open requests for answers that the recording lacks; no peer needs as many.
  static let maximumQuestions = 8
}

extension Replay {
  /// Sends a recorded message; messages of authentication get the values of the live session.
  ///
  /// - Returns: false if the message has to wait for the authentication port.
  mutating func send(recorded: [UInt8], _ step: Int) -> Bool {
    let message = rewrite.rewritten(recorded, rules.comparison)
    let id = ControlHeader.id(of: recorded)
    guard options.authenticates else {
      if Self.carriesAuthentication(id) { report(.note(.recordedAuthentication(message: id, reason: nil))) }
      transmit(message, step)
      return true
    }
    switch id {
    case AuthenticationCertificate.id: ask(.fetchCertificate, id, step)
    case AccessoryAuthenticationSerialNumber.id: ask(.fetchSerialNumber, id, step)
    case AuthenticationResponse.id:
      guard let challenge = authentication.challenge else { return sendRecorded(message, step, nil) }
      ask(.sign(challenge: challenge), id, step)
    case RequestAuthenticationChallengeResponse.id: return challenge(message, step)
    case AuthenticationSucceeded.id: return succeed(message, step)
    default: transmit(message, step)
    }
    return true
  }

  private static func carriesAuthentication(_ id: UInt16) -> Bool {
    id == AuthenticationCertificate.id || id == AuthenticationResponse.id
      || id == AccessoryAuthenticationSerialNumber.id || id == RequestAuthenticationChallengeResponse.id
  }

  private mutating func sendRecorded(_ message: [UInt8], _ step: Int, _ reason: String?) -> Bool {
    report(.note(.recordedAuthentication(message: ControlHeader.id(of: message), reason: reason)))
    transmit(message, step)
    return true
  }

  private mutating func ask(_ action: RoleAction, _ message: UInt16, _ step: Int?) {
    // Requests without a step are limited, so that a phone that only asks cannot exhaust memory. The recording asks one
    // at a time.
    guard step != nil || authentication.questions.count < ReplayAuthentication.maximumQuestions else { return }
    authentication.questions.append(ReplayAuthentication.Question(message: message, step: step))
    if step != nil { pending = .port }
    act(action)
  }

  // MARK: The phone's side

  private mutating func challenge(_ message: [UInt8], _ step: Int) -> Bool {
    switch authentication.judgement {
    case .none: return sendRecorded(message, step, nil)
    case .asked:
      pending = .port
      return false
    case .accepted(let challenge):
      authentication.sentChallenge = challenge
      transmit(MessageRewrite.message(message, parameter: 0, value: challenge), step)
    case .refused: break
    }
    return true
  }

  private mutating func succeed(_ message: [UInt8], _ step: Int) -> Bool {
    switch authentication.verdict {
    case .none, .accepted: transmit(message, step)
    case .asked:
      pending = .port
      return false
    case .refused: break
    }
    return true
  }

  /// Sends AuthenticationFailed to an accessory whose certificate or signature was rejected, and ends the replay.
  private mutating func fail(_ message: UInt16, _ reason: String?) {
    differ(.authentication(reason: reason ?? ""), .message(message), nil)
    let failed = ControlHeader.message(AuthenticationFailed.id)
    act(.send(failed))
    report(.sent(message: failed, step: nil))
    finish()
  }

  // MARK: Answers of the peer and the port

  /// Passes the parts of the peer's messages that the authentication port needs.
  mutating func handleAuthentication(_ message: [UInt8]) {
    guard options.authenticates else { return }
    do {
      switch ControlHeader.id(of: message) {
      case RequestAuthenticationChallengeResponse.id where script.side == .accessory:
        let request = try RequestAuthenticationChallengeResponse(decoding: message.rawBytes)
        authentication.challenge = request.authenticationChallenge.bytes
      case AuthenticationCertificate.id where script.side == .device:
        authentication.certificate = try AuthenticationCertificate(decoding: message.rawBytes)
          .authenticationCertificate.bytes
        authentication.judgement = .asked
        act(.checkCertificate(certificate: authentication.certificate))
      case AuthenticationResponse.id where script.side == .device:
        guard let challenge = authentication.sentChallenge else { return }
        let response = try AuthenticationResponse(decoding: message.rawBytes).authenticationChallengeResponse.bytes
        authentication.verdict = .asked
        act(.verify(response: response, challenge: challenge, certificate: authentication.certificate))
      default: break
      }
    } catch {
      // A message that cannot be decoded was compared already; it holds nothing to verify.
    }
  }

  /// Answers a request that the recording lacks, so that the phone continues.
  mutating func answerAlone(_ message: [UInt8]) {
    handleAuthentication(message)
    guard options.authenticates, script.side == .accessory else { return }
    let id = ControlHeader.id(of: message)
    // The recorded answer may follow later.
    func isToCome(_ answer: UInt16) -> Bool {
      own.dropFirst(nextOwn).contains {
        if case .message(let bytes) = script.steps[$0].content { ControlHeader.id(of: bytes) == answer } else { false }
      }
    }
    if id == RequestAuthenticationCertificate.id, !isToCome(AuthenticationCertificate.id) {
      report(.note(.answeredAlone(message: id)))
      ask(.fetchCertificate, AuthenticationCertificate.id, nil)
    } else if id == RequestAuthenticationChallengeResponse.id, !isToCome(AuthenticationResponse.id),
      let challenge = authentication.challenge
    {
      report(.note(.answeredAlone(message: id)))
      ask(.sign(challenge: challenge), AuthenticationResponse.id, nil)
    }
  }

  /// Continues with the answer of the authentication port.
  mutating func answered(_ input: RoleInput) {
    switch input {
    case .certificateReady(let bytes), .serialNumberReady(let bytes), .signatureReady(let bytes):
      answer(bytes, nil)
    case .authenticatorFailed(let reason): answer(nil, reason)
    case .certificateChecked(let challenge?, _):
      authentication.judgement = .accepted(challenge: challenge)
      goOn()
    case .certificateChecked(nil, let reason):
      authentication.judgement = .refused
      fail(AuthenticationCertificate.id, reason)
    case .responseChecked(true, _):
      authentication.verdict = .accepted(challenge: [])
      goOn()
    case .responseChecked(false, let reason):
      authentication.verdict = .refused
      fail(AuthenticationResponse.id, reason)
    case .linkUp, .message, .tick, .file: break
    }
  }

  /// - Parameter bytes: the answer; nil if the authenticator failed.
  private mutating func answer(_ bytes: [UInt8]?, _ reason: String?) {
    guard !authentication.questions.isEmpty else { return }
    let question = authentication.questions.removeFirst()
    guard let step = question.step, case .message(let recorded) = script.steps[step].content else {
      guard let bytes else { return }
      let body = UInt16(bytes.count + 4).bigEndianBytes + [0, 0] + bytes
      let message = ControlHeader.message(question.message, body: body)
      act(.send(message))
      return report(.sent(message: message, step: nil))
    }
    goOn()
    if let bytes {
      transmit(MessageRewrite.message(recorded, parameter: 0, value: bytes), step)
    } else {
      _ = sendRecorded(recorded, step, reason)
    }
  }
}

// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession

/// A part of a session that a rule is about, which a message of the checked side reaches. A rule whose part was not
/// reached has no verdict.
enum SessionPart: Sendable, Hashable, CaseIterable {
  case requests, pairing, setupBegin, setupKeys, setupProof, setupIdentity, verifyKeys, verifyIdentity, encryption
  case authSetup, authProof, setUp, timing, keepAlive, features, information, advertisement
  case events, streamSetUp, streamConnection, screen, sound, soundSetUp, buffered, data
  case clock, clockAnswers, feedback, commands, commandAnswers, inputs, keyFrames, unverifiedSetUp

  /// The part in words, as in "the session had no packets of sound".
  var words: String {
    switch self {
    case .requests: "no message that can be read"
    case .pairing: "no message of pairing"
    case .setupBegin: "no pair-setup"
    case .setupKeys: "no public key in pair-setup"
    case .setupProof: "no proof in pair-setup"
    case .setupIdentity: "no identity in pair-setup"
    case .verifyKeys: "no key in pair-verify"
    case .verifyIdentity: "no identity in pair-verify"
    case .encryption: "no encrypted message"
    case .authSetup: "no auth-setup"
    case .authProof: "no signature of auth-setup that was checked (--authentication any)"
    case .setUp: "no set-up"
    case .timing: "no clock in its set-up"
    case .keepAlive: "no low-power keep-alive in its set-up"
    case .features: "no features in its set-up"
    case .information: "no /info"
    case .advertisement: "no TXT record of Bonjour in /info"
    case .events: "no event connection"
    case .streamSetUp: "no set-up of streams"
    case .streamConnection: "no TCP connection of a stream"
    case .screen: "no pictures"
    case .sound: "no packets of sound"
    case .soundSetUp: "no set-up of sound"
    case .buffered: "no buffered music"
    case .data: "no package on a data stream"
    case .clock: "no datagram of the clock"
    case .clockAnswers: "no answer of the clock"
    case .feedback: "no /feedback while sound runs"
    case .commands: "no command"
    case .commandAnswers: "no answer to a command"
    case .inputs: "no report of an input device"
    case .keyFrames: "no answer to a request for a key frame"
    case .unverifiedSetUp: "pair-verify, so that no session key is needed"
    }
  }
}

extension CarPlayRule {
  /// Returns the parts of a session without which nothing shows whether a side keeps the rule.
  func parts(of side: SessionSide) -> Set<SessionPart> {
    switch id {
    // A head unit answers requests, a phone commands.
    case "CRQ-01", "CRQ-02": [side == .phone ? .commandAnswers : .requests]
    case "CRQ-03": [.requests]
    case "CRQ-04", "CRQ-05": [.setUp]
    case "CPA-01", "CPA-02": [.pairing]
    case "CPA-03": [.setupKeys]
    case "CPA-04": [.setupProof]
    case "CPA-05": [.setupIdentity]
    case "CPA-06": [.verifyKeys]
    case "CPA-07", "CPA-08": [.verifyIdentity]
    case "CPA-09": [.setupBegin]
    case "CCH-01": [.encryption]
    case "CAS-01", "CAS-02": [.authSetup]
    case "CAS-03": [.authSetup, .authProof]
    case "CSU-05": [.unverifiedSetUp]
    case "CSU-07": [.timing]
    case "CSU-08": [.keepAlive]
    case "CSU-09": [.features]
    case "CDI-01", "CDI-02": [.advertisement, .information]
    case "CEV-01", "CEV-02", "CCM-03": [.events]
    case "CEV-03": [.streamConnection]
    case "CSC-07": [.keyFrames]
    case "CSO-01": [.sound]
    case "CSO-02", "CST-06": [.buffered]
    case "CDA-01": [.data]
    case "CCL-01": [.clock]
    case "CCL-02": [.clockAnswers]
    case "CFB-01": [.feedback]
    case "CCM-01", "CCM-02": [.commands]
    case "CCM-04": [.commandAnswers]
    case "CHI-01", "CHI-02": [.inputs]
    case "CST-04": [.screen]
    case "CST-05", "CST-10", "CST-11": [.soundSetUp]
    case let id where id.hasPrefix("CSU"): [.setUp]
    case let id where id.hasPrefix("CIN"): [.information]
    case let id where id.hasPrefix("CST"): [.streamSetUp]
    case let id where id.hasPrefix("CSC"): [.screen]
    default: [.requests]
    }
  }
}

/// The record of a session: the breaches of rules, the parts that the checked side reached, and for a replay the
/// messages.
struct SessionRecord {
  var judge = SessionJudge(isWhole: true)
  /// The messages; nil if they are not kept.
  var messages: RecordedSession?
  /// The time of what happens now.
  var time = MonotonicTime.zero
  private(set) var parts: Set<SessionPart> = []
  private(set) var breaches: [CarPlayBreach] = []

  mutating func reach(_ parts: SessionPart...) { self.parts.formUnion(parts) }

  /// Takes a request of a side.
  mutating func take(request message: RequestMessage, on channel: SessionJudge.Channel, from side: SessionSide) {
    judge.take(request: message, on: channel, from: side)
    let moment = moment
    messages?.take(message, on: channel, at: moment)
  }

  /// Takes an answer of a side.
  mutating func take(
    answer message: RequestMessage, to request: RequestMessage?, on channel: SessionJudge.Channel,
    from side: SessionSide
  ) {
    judge.take(answer: message, to: request, on: channel, from: side)
    let moment = moment
    messages?.take(message, on: channel, at: moment)
  }

  /// Takes a message of a screen.
  mutating func take(_ message: ScreenMessage, of type: StreamType) {
    judge.take(message, of: type, isOpened: true)
    let moment = moment
    messages?.take(message, of: type, at: moment)
  }

  /// Takes a packet of sound.
  mutating func take(_ packet: AudioPacket, of type: StreamType, from side: SessionSide) {
    let moment = moment
    messages?.take(packet, of: type, from: side, at: moment)
  }

  private var moment: RecordedSession.Moment {
    RecordedSession.Moment(record: 1, seconds: Double(time.nanoseconds) / 1e9)
  }

  /// Takes the breaches of the judge.
  mutating func settle() { breaches += judge.takeBreaches() }
}

// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
package import IAP2
package import IAP2Conformance

/// A numbered check of a CarPlay session, and how it is played.
///
/// The check of a rule has the rule's id, so that `iap2 explain` and the suite name the same number. It is judged from
/// one ordinary session. A check with a number above 50 provokes the peer in a session of its own.
package struct SessionCheck: Sendable {
  /// The way in which a check comes to its verdict.
  enum Play: Sendable {
    /// By what the peer does in an ordinary session.
    case rule(CarPlayRule)
    /// By the steps of a phone that is connected to a head unit.
    case phone(@Sendable (ScriptedPhone) async throws(Stop) -> Void)
    /// By the steps of a head unit to which a phone connects.
    case headUnit(@Sendable (ScriptedHeadUnit) async throws(Stop) -> Void)
    /// By control requests to a phone that is not connected.
    case call(@Sendable (ScriptedHeadUnit) async throws(Stop) -> Void)
  }

  /// The id, the requirement and its evidence.
  package let check: Check
  let play: Play
  /// Whether the check is judged from the ordinary session, which all rules share.
  package var isRule: Bool { if case .rule = play { true } else { false } }

  /// Creates the check of a rule.
  init(_ rule: CarPlayRule, _ area: Area) {
    // A head unit's clock asks and is not asked.
    let side = rule.id == "CCL-02" ? .phone : rule.side
    let subjects: Set<Side> =
      switch side {
      case .headUnit: [.accessory]
      case .phone: [.device]
      case nil: [.accessory, .device]
      }
    let strictness: Strictness =
      switch rule.level {
      case .required: .required
      case .recommended: .recommended
      case .observed: .observed
      }
    check = Check(
      rule.id, area, of: subjects, rule.text, rule.text, RequirementEvidence(rule.evidence, rule.confidence ?? .low),
      strictness, nil)
    play = .rule(rule)
  }

  /// Creates a check of a head unit.
  ///
  /// - Parameters:
  ///   - anchor: The fact in `Documentation/Protocol`, with a remark after a colon.
  ///   - strictness: The strictness; nil for that of the confidence.
  static func headUnit(
    _ id: String, _ area: Area, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness? = nil, _ body: @escaping @Sendable (ScriptedPhone) async throws(Stop) -> Void
  ) -> SessionCheck {
    SessionCheck(
      Check(
        id, area, of: [.accessory], title, requirement, RequirementEvidence("CarPlaySession.md#\(anchor)", confidence),
        strictness, nil),
      .phone(body))
  }

  /// Creates a check of a phone, like that of a head unit.
  static func phone(
    _ id: String, _ area: Area, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness? = nil, _ body: @escaping @Sendable (ScriptedHeadUnit) async throws(Stop) -> Void
  ) -> SessionCheck {
    SessionCheck(
      Check(
        id, area, of: [.device], title, requirement, RequirementEvidence("CarPlaySession.md#\(anchor)", confidence),
        strictness, nil),
      .headUnit(body))
  }

  /// Creates a check of a head unit's control requests. The anchor is one of `CarPlayStart.md`.
  static func calling(
    _ id: String, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness? = nil, _ body: @escaping @Sendable (ScriptedPhone) async throws(Stop) -> Void
  ) -> SessionCheck {
    SessionCheck(ofCalls(id, .accessory, title, requirement, anchor, confidence, strictness), .phone(body))
  }

  /// Creates a check of a phone's control port. The anchor is one of `CarPlayStart.md`.
  static func call(
    _ id: String, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness? = nil, _ body: @escaping @Sendable (ScriptedHeadUnit) async throws(Stop) -> Void
  ) -> SessionCheck {
    SessionCheck(ofCalls(id, .device, title, requirement, anchor, confidence, strictness), .call(body))
  }

  private static func ofCalls(
    _ id: String, _ side: Side, _ title: String, _ requirement: String, _ anchor: String, _ confidence: Confidence,
    _ strictness: Strictness?
  ) -> Check {
    Check(
      id, .sessionDiscovery, of: [side], title, requirement,
      RequirementEvidence("CarPlayStart.md#\(anchor)", confidence), strictness, nil)
  }

  private init(_ check: Check, _ play: Play) { (self.check, self.play) = (check, play) }
}

extension Area {
  /// The form of requests and answers.
  static let sessionRequests = Area("requests", subject: "requests and their answers")
  /// Pair-setup and pair-verify.
  static let sessionPairing = Area("pairing", subject: "the pairing, without which no session is encrypted")
  /// The encrypted frames.
  static let sessionChannels = Area("channels", subject: "the encrypted channels")
  /// The proof of the coprocessor.
  static let sessionProof = Area("proof", subject: "the proof of the coprocessor")
  /// SETUP of the session, and RECORD.
  static let sessionSetUp = Area("setUp", subject: "the set-up of the session")
  /// The answer to `/info`.
  static let sessionInformation = Area("information", subject: "/info")
  /// SETUP of streams.
  static let sessionStreams = Area("streams", subject: "the set-up of streams")
  /// Pictures.
  static let sessionScreen = Area("screen", subject: "pictures")
  /// Sound in both directions.
  static let sessionSound = Area("sound", subject: "sound")
  /// Data streams and iAP2 inside the session.
  static let sessionData = Area("data", subject: "iAP2 inside the session")
  /// The clock and `/feedback`.
  static let sessionTime = Area("time", subject: "the clock and the feedback")
  /// Commands, modes and input.
  static let sessionCommands = Area("commands", subject: "commands, modes and input")
  /// Ends, second phones and new sessions.
  static let sessionEnds = Area("ends", subject: "ends and new sessions")
  /// The TXT record of Bonjour.
  static let sessionDiscovery = Area("discovery", subject: "what Bonjour advertises")

  /// The areas of CarPlay sessions, in the order of a session.
  package static let sessionAreas: [Area] = [
    .sessionDiscovery, .sessionRequests, .sessionPairing, .sessionChannels, .sessionProof, .sessionSetUp,
    .sessionInformation, .sessionStreams, .sessionScreen, .sessionSound, .sessionData, .sessionTime, .sessionCommands,
    .sessionEnds,
  ]
}

extension CarPlayRule {
  /// The area of the rule's check.
  var area: Area {
    switch id.prefix(3) {
    case "CRQ": .sessionRequests
    case "CPA": .sessionPairing
    case "CCH": .sessionChannels
    case "CAS": .sessionProof
    case "CIN": .sessionInformation
    case "CDI": .sessionDiscovery
    case "CST": .sessionStreams
    case "CSC": .sessionScreen
    case "CSO": .sessionSound
    case "CDA": .sessionData
    case "CCL", "CFB": .sessionTime
    case "CCM", "CHI": .sessionCommands
    default: .sessionSetUp
    }
  }
}

extension SessionCheck {
  /// All checks, in the order of a session: those of rules before those that provoke.
  package static let all: [SessionCheck] = {
    let provoked =
      callsOfHeadUnits + requestsOfHeadUnits + pairingOfHeadUnits + channelsOfHeadUnits + setUpOfHeadUnits
      + streamsOfHeadUnits
      + contentOfHeadUnits + commandsOfHeadUnits + modesOfHeadUnits + endsOfHeadUnits + ofPhones
    // A few rules are broken only by a peer that is provoked. Their checks have the same numbers.
    let numbers = Set(provoked.map(\.check.id))
    let rules = CarPlayRule.all.filter { !numbers.contains($0.id) }.map { SessionCheck($0, $0.area) }
    let areas = Dictionary(uniqueKeysWithValues: Area.sessionAreas.enumerated().map { ($1, $0) })
    let places = (rules + provoked).enumerated().map { place, check in
      (area: areas[check.check.area] ?? 0, place: place, check: check)
    }
    return places.sorted { ($0.area, $0.place) < ($1.area, $1.place) }.map(\.check)
  }()

  /// Returns the checks that apply to a side.
  package static func all(of subject: Side) -> [SessionCheck] { all.filter { $0.check.subjects.contains(subject) } }
}

/// The Markdown page of the checks of CarPlay sessions.
package enum SessionCheckTable {
  /// The page in Markdown, equal to `Documentation/CarPlay/SessionChecks.md`.
  package static var page: String {
    """
    # The checks of CarPlay sessions

    Printed by `iap2 conformance --carplay --list --markdown`. What a run means is in
    [Check a CarPlay head unit or phone](../Tasks/CheckACarPlayPeer.md).

    *Of* is the side that is checked. Only a failed required check makes a run fail. Evidence of low confidence is marked:
    a peer that fails such a check may be correct.

    \(CheckTable.table(of: SessionCheck.all.map(\.check)) { evidence in
      evidence.replacing(/[A-Z][A-Za-z]+\.md#[a-z0-9]+(?:-[a-z0-9]+)*/) { "[\($0.output)](../Protocol/\($0.output))" }
    })
    """
  }
}

// swift-iap2 · Apache-2.0

public import IAP2

/// What a check is about.
public enum Area: String, Sendable, Hashable, CaseIterable {
  case detect, negotiation, checksums, windows, acknowledgement, selective, retransmission, reset, fragmentation,
    authentication, identification, externalAccessory, subscriptions, unknown, disconnect
}

/// Where a requirement comes from, and how sure it is.
public struct Evidence: Sendable, Hashable {
  /// The fact in `Documentation/Protocol`, as page and anchor, and a remark where one is needed.
  public var source: String
  public var confidence: Confidence

  public init(_ source: String, _ confidence: Confidence) {
    self.source = source
    self.confidence = confidence
  }

  /// Nobody has shown it: a peer that does otherwise may be right.
  public var isUnverified: Bool { confidence == .low }

  /// - Parameter anchor: a fact of `Documentation/Protocol`, as page and anchor.
  static func at(_ anchor: String, _ confidence: Confidence, _ note: String = "") -> Evidence {
    Evidence(anchor + (note.isEmpty ? "" : ": \(note)"), confidence)
  }
}

/// One numbered question to a foreign implementation.
public struct Check: Sendable {
  package typealias Body = @Sendable (Probe) async throws(Stop) -> Void

  /// Stable: scripts and reports name it.
  public let id: String
  public let area: Area
  public let title: String
  /// What the other side must do.
  public let requirement: String
  public let evidence: Evidence
  /// Whom it is asked: the side that is checked, not the one we play.
  public let subjects: Set<Side>
  /// The peer may take it as the end of everything: on a transport that stays, such checks come last.
  let mayEndPeer: Bool
  let body: Body

  /// A check is over by then, whatever the peer does: the longest waits are a give-up's few seconds and a dozen answers.
  public static let limitMilliseconds = 90_000

  init(
    _ id: String, _ area: Area, of subjects: Set<Side>, _ title: String, _ requirement: String, _ evidence: Evidence,
    mayEndPeer: Bool = false, _ body: @escaping Body
  ) {
    self.id = id
    self.area = area
    self.title = title
    self.requirement = requirement
    self.evidence = evidence
    self.subjects = subjects
    self.mayEndPeer = mayEndPeer
    self.body = body
  }

  /// Every check, in the order they are run.
  public static let all: [Check] =
    detect + negotiation + oddValues + checksums + windows + acknowledgement + selective + fragmentation
    + authenticationOfAccessories + authenticationOfDevices + identificationOfAccessories + identificationOfDevices
    + externalAccessory + subscriptions + unknown + reset + disconnect + retransmission

  /// Those that are asked of a side.
  public static func all(of subject: Side) -> [Check] { all.filter { $0.subjects.contains(subject) } }
}

extension Set<Side> {
  static let both: Set<Side> = [.accessory, .device]
}

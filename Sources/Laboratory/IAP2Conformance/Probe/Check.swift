// swift-iap2 · Apache-2.0

public import IAP2

/// A part of the protocol that a check covers.
public struct Area: Sendable, Hashable {
  /// The word by which ``Check`` results and the command's `--only` name the area; the class name in JUnit reports.
  public let rawValue: String
  /// The area as a noun phrase, for the advice what to repair first.
  let subject: String

  /// Creates an area of the checks of a higher layer.
  package init(_ rawValue: String, subject: String) {
    self.rawValue = rawValue
    self.subject = subject
  }

  /// The detect sequence before the link.
  public static let detect = Area("detect", subject: "the detection, without which no link starts")
  /// SYN, SYN+ACK and the link parameters.
  public static let negotiation = Area(
    "negotiation", subject: "the setup of the link, on which everything else depends")
  /// The checksums of headers and payloads, and the recovery after damaged bytes.
  public static let checksums = Area("checksums", subject: "the checksums and the reading of packets")
  /// Sequence numbers and receive windows.
  public static let windows = Area("windows", subject: "sequence numbers and windows")
  /// ACK packets and the timing of acknowledgements.
  public static let acknowledgement = Area("acknowledgement", subject: "acknowledgements")
  /// EAK packets, the selective acknowledgements.
  public static let selective = Area("selective", subject: "selective acknowledgements")
  /// Retransmission and the retransmission limit.
  public static let retransmission = Area("retransmission", subject: "retransmission")
  /// RST and SLP packets.
  public static let reset = Area("reset", subject: "the reset of the link")
  /// Messages that are split over packets or share one.
  public static let fragmentation = Area("fragmentation", subject: "the splitting of messages into packets")
  /// Certificates, challenges and responses.
  public static let authentication = Area("authentication", subject: "the authentication")
  /// Identification information, its acceptance and its rejection.
  public static let identification = Area("identification", subject: "the identification")
  /// EA sessions and their data.
  public static let externalAccessory = Area("externalAccessory", subject: "EA sessions")
  /// Subscriptions to updates, such as power and now playing.
  public static let subscriptions = Area("subscriptions", subject: "the updates of features")
  /// Unknown messages, parameters, sessions and control bits.
  public static let unknown = Area("unknown", subject: "the tolerance of unknown messages and bits")
  /// The end of the transport and the next connection.
  public static let disconnect = Area("disconnect", subject: "the next connection after an end")

  /// The areas of ``Check/all``.
  public static let allCases: [Area] = [
    .detect, .negotiation, .checksums, .windows, .acknowledgement, .selective, .retransmission, .reset, .fragmentation,
    .authentication, .identification, .externalAccessory, .subscriptions, .unknown, .disconnect,
  ]
}

/// The source of a requirement with its confidence.
public struct RequirementEvidence: Sendable, Hashable {
  /// The fact in `Documentation/Protocol`, as page and anchor, with an optional remark after a colon.
  public var source: String
  /// The confidence in the source.
  public var confidence: Confidence

  /// Creates evidence from a source and its confidence.
  public init(_ source: String, _ confidence: Confidence) {
    self.source = source
    self.confidence = confidence
  }

  /// Whether the confidence is low, so that a peer that violates the requirement may be correct.
  public var isUnverified: Bool { confidence == .low }

  /// Creates evidence from a fact in `Documentation/Protocol`.
  ///
  /// - Parameters:
  ///   - anchor: the page and the anchor of the fact.
  ///   - confidence: the confidence in the fact.
  ///   - note: a remark; empty for none.
  static func at(_ anchor: String, _ confidence: Confidence, _ note: String = "") -> RequirementEvidence {
    RequirementEvidence(anchor + (note.isEmpty ? "" : ": \(note)"), confidence)
  }
}

/// The strictness of a check: what its failure means for the peer.
public enum Strictness: String, Sendable, Hashable, CaseIterable {
  /// The sources agree, real hardware shows it, or another side depends on it: a peer that fails does not work with
  /// other implementations. Where a source differs, the note of the evidence says why the check is required all the
  /// same.
  case required
  /// The sources advise it, or differ: a known peer fails and works all the same.
  case recommended
  /// Known implementations do it, and no source asks for it.
  case observed
}

/// A numbered test of one requirement against a peer.
public struct Check: Sendable {
  package typealias Body = @Sendable (Probe) async throws(Stop) -> Void

  /// The identifier, such as `ACK-01`. It is stable, because scripts and reports use it.
  public let id: String
  /// The part of the protocol that the check covers.
  public let area: Area
  /// A short name of the check.
  public let title: String
  /// The required behavior of the peer, in one or two sentences.
  public let requirement: String
  /// The source of the requirement.
  public let evidence: RequirementEvidence
  /// The strictness of the requirement. Only a failed ``Strictness/required`` check makes a run fail.
  public let strictness: Strictness
  /// The sides that the check applies to. The probe takes the other side.
  public let subjects: Set<Side>
  /// Whether the check may make the peer stop for good. On a transport that stays open, such checks run last.
  let mayEndPeer: Bool
  /// The steps; nil for a check that another suite than ``Suite`` plays, such as that of CarPlay sessions.
  let body: Body?

  /// The time limit of a check in milliseconds with the default ``Setting/answerMilliseconds``. The longest waits are a
  /// retransmission limit of some seconds and a dozen answers.
  public static let limitMilliseconds = 90_000

  /// Creates a check. A library of a higher layer adds its checks to those that it passes to ``Suite``.
  ///
  /// - Parameters:
  ///   - strictness: the strictness; nil for the default of the evidence, `observed` with low confidence and else
  ///     `required`.
  package init(
    _ id: String, _ area: Area, of subjects: Set<Side>, _ title: String, _ requirement: String,
    _ evidence: RequirementEvidence,
    _ strictness: Strictness? = nil, mayEndPeer: Bool = false, _ body: Body?
  ) {
    self.id = id
    self.area = area
    self.title = title
    self.requirement = requirement
    self.evidence = evidence
    self.strictness = strictness ?? (evidence.isUnverified ? .observed : .required)
    self.subjects = subjects
    self.mayEndPeer = mayEndPeer
    self.body = body
  }
}

extension Set<Side> {
  static let both: Set<Side> = [.accessory, .device]
}

extension Check {
  /// Returns the verdict of a check that ended early.
  package func verdict(_ stop: Stop) -> Verdict {
    switch stop {
    case .failed(let reason): .fail(reason: evidence.isUnverified ? "unverified requirement: \(reason)" : reason)
    case .inconclusive(let reason): .inconclusive(reason: reason)
    case .notApplicable(let reason): .notApplicable(reason: reason)
    }
  }

  func verdict(of probe: Probe) async -> Verdict {
    guard let body else { return .inconclusive(reason: "another suite plays this check") }
    do {
      try await body(probe)
      return .pass
    } catch {
      return verdict(error)
    }
  }
}

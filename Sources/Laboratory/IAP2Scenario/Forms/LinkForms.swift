// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Runtime
import YAMLForms

/// A number under the key `link` of a profile.
private enum LinkKey: String, CaseIterable {
  case window, length, retransmission, cumulative, retransmissions, acknowledgements

  /// The number of the offer that the key sets.
  var field: LinkField {
    switch self {
    case .window: .maxOutstandingPackets
    case .length: .maxPacketLength
    case .retransmission: .retransmissionTimeout
    case .cumulative: .cumulativeAckTimeout
    case .retransmissions: .maxRetransmissions
    case .acknowledgements: .maxCumulativeAcks
    }
  }

  var summary: String {
    switch self {
    case .window: "The packets that may wait for an acknowledgement."
    case .length: "The bytes of a packet."
    case .retransmission: "The time until a packet is sent again, in milliseconds."
    case .cumulative: "The time until a packet is acknowledged, in milliseconds."
    case .retransmissions: "The times that a packet is sent again."
    case .acknowledgements: "The packets that one acknowledgement covers."
    }
  }

  /// Whether each side declares its own number, which need not be agreed on.
  var isDeclared: Bool { self == .window || self == .length }

  /// The numbers that a profile may have. Agreed numbers outside the recommended ranges are allowed, because real
  /// accessories use them.
  var range: ClosedRange<Int> {
    isDeclared ? Int(field.offered.lowerBound)...Int(field.offered.upperBound) : 0...Int(field.maximum)
  }

  /// The key of a number that goes into the offer.
  var number: Verb<LinkForms.Change> {
    Verb(rawValue, summary, .integer(range)) { [field] number in { $0.offer[field] = UInt16(number) } }
  }
}

/// The link of a profile: an accessory has a complete offer, a device has its own values and the ranges it accepts.
enum LinkForms {
  typealias Change = @Sendable (inout LinkPreferences) -> Void

  private static let sessionType = Form<LinkSessionType>.choice(
    Dictionary(
      uniqueKeysWithValues: [LinkSessionType.control, .fileTransfer, .externalAccessory].compactMap { type in
        type.name.map { ($0, type) }
      }))

  // MARK: Accessories

  /// A session of an accessory's offer; nil for an identifier that the place in the list gives.
  private static let session = Form<(id: Int?, type: LinkSessionType, version: Int)>.keys(
    .optional("id", .integer(1...255)), .required("type", sessionType), .key("version", .integer(0...255), or: 1)
  ) { _, id, type, version in (id, type, version) }

  private static let sessions = Form<[(id: Int?, type: LinkSessionType, version: Int)]>.list(session)
    .checked { entries, value throws(FileProblem) in
      var sessions: [LinkSession] = []
      for (index, entry) in entries.enumerated() {
        let id = UInt8(entry.id ?? min(255, index + 1))
        guard !sessions.contains(where: { $0.id == id }) else {
          throw value.problem("two sessions have the id \(id)", at: "\(index)")
        }
        sessions.append(LinkSession(id: id, type: entry.type, version: UInt8(entry.version)))
      }
      return sessions
    }

  /// The offer of an accessory.
  static let offer: Form<[Change]> = {
    let list = Verb<Change>("sessions", "The sessions.", sessions) { sessions in { $0.offer.sessions = sessions } }
    return Form.any(of: LinkKey.allCases.map(\.number) + [list])
  }()

  // MARK: Devices

  /// `[least, most]` in milliseconds, the range outside which a device makes a counter-offer.
  private static let range = Form<[Int]>.list(.integer(0...65_535), count: 2...2, "[least, most]")
    .checked { ends, value throws(FileProblem) in
      guard ends[0] <= ends[1] else {
        throw value.problem("expected a whole number from \(ends[0]) to 65535", at: "1")
      }
      return UInt16(ends[0])...UInt16(ends[1])
    }

  private static let types = Form<[LinkSessionType]>.list(sessionType).checked { types, value throws(FileProblem) in
    guard types.contains(.control) else { throw value.problem("a phone needs the session control") }
    return Set(types.map(\.rawValue))
  }

  /// The values and limits of a device.
  static let limits = Form.any(of: LinkKey.allCases.filter(\.isDeclared).map(\.number) + limitKeys)

  private static let limitKeys: [Verb<Change>] = [
    Verb(LinkKey.retransmission.rawValue, "The accepted times until a packet is sent again.", range) { range in
      { $0.retransmissionTimeouts = range }
    },
    Verb(LinkKey.cumulative.rawValue, "The accepted times until a packet is acknowledged.", range) { range in
      { $0.cumulativeAckTimeouts = range }
    },
    Verb("sessions", "The types of sessions that it accepts.", types) { types in { $0.sessionTypes = types } },
  ]
}

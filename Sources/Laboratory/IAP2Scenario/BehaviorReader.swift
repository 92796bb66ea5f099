// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime

/// A number under the key `link` of a profile.
enum LinkKey: String, CaseIterable {
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

  /// Whether each side declares its own number, which need not be agreed on.
  var isDeclared: Bool { self == .window || self == .length }

  /// Whether a device has a range for the number.
  var isTimeout: Bool { self == .retransmission || self == .cumulative }

  /// The numbers that a profile may have. Agreed numbers outside the recommended ranges are allowed, because real
  /// accessories use them.
  var range: ClosedRange<Int> {
    isDeclared ? Int(field.offered.lowerBound)...Int(field.offered.upperBound) : 0...Int(field.maximum)
  }
}

/// A reader of the keys `link`, `timing` and `quirks` of a profile.
enum BehaviorReader {
  /// Reads the key `link`.
  ///
  /// - Parameter side: the side of the profile. An accessory has a complete offer, a device has its own values and the
  ///   ranges it accepts.
  static func link(_ value: YAMLValue, of side: Side, _ link: inout LinkPreferences) throws(ScenarioProblem) {
    let keys = LinkKey.allCases.filter { side == .accessory || $0.isDeclared || $0.isTimeout }
    let fields = try value.fields(keys.map(\.rawValue) + ["sessions"])
    for key in keys where side == .accessory || key.isDeclared {
      if let field = fields[key.rawValue] { link.offer[key.field] = UInt16(try field.integer(key.range)) }
    }
    switch side {
    case .accessory: try sessions(fields["sessions"], &link.offer)
    case .device:
      if let field = fields[LinkKey.retransmission.rawValue] { link.retransmissionTimeouts = try range(field) }
      if let field = fields[LinkKey.cumulative.rawValue] { link.cumulativeAckTimeouts = try range(field) }
      if let list = fields["sessions"] {
        link.sessionTypes = []
        for type in try list.list() { link.sessionTypes.insert(try type.choice(sessionTypes).rawValue) }
        guard link.sessionTypes.contains(LinkSessionType.control.rawValue) else {
          throw list.problem("a phone needs the session control")
        }
      }
    }
  }

  static let sessionTypes = Dictionary(
    uniqueKeysWithValues: [LinkSessionType.control, .fileTransfer, .externalAccessory].compactMap { type in
      type.name.map { ($0, type) }
    })

  /// Reads `[least, most]` in milliseconds, the range outside which a device makes a counter-offer.
  private static func range(_ value: YAMLValue) throws(ScenarioProblem) -> ClosedRange<UInt16> {
    let ends = try value.list()
    guard ends.count == 2 else { throw value.problem("expected [least, most]") }
    let least = try ends[0].integer(0...65_535)
    return UInt16(least)...UInt16(try ends[1].integer(least...65_535))
  }

  /// Reads the sessions of an accessory's offer.
  private static func sessions(
    _ list: YAMLValue?, _ offer: inout LinkSynchronization
  ) throws(ScenarioProblem) {
    guard let list else { return }
    offer.sessions = []
    for entry in try list.list() {
      let parts = try entry.fields(["id", "type", "version"])
      guard let type = parts["type"] else { throw entry.problem("the session needs a type") }
      let id = UInt8(try parts["id"]?.integer(1...255) ?? min(255, offer.sessions.count + 1))
      guard !offer.sessions.contains(where: { $0.id == id }) else {
        throw entry.problem("two sessions have the id \(id)")
      }
      offer.sessions.append(
        LinkSession(
          id: id, type: try type.choice(sessionTypes), version: UInt8(try parts["version"]?.integer(0...255) ?? 1)))
    }
  }

  /// Reads the key `timing`.
  ///
  /// - Parameter signs: whether `sign` is allowed, because only an accessory has an authentication chip.
  static func timing(_ value: YAMLValue, signs: Bool, _ behavior: inout Behavior) throws(ScenarioProblem) {
    let fields = try value.fields(["interval", "delays"] + (signs ? ["sign"] : []))
    behavior.signMilliseconds = try fields["sign"]?.integer(milliseconds) ?? 0
    behavior.pacing.interval = try fields["interval"]?.integer(milliseconds) ?? 0
    for (name, delay) in try fields["delays"]?.entries() ?? [] {
      behavior.pacing.delays[try delay.messageID(name)] = try delay.integer(milliseconds)
    }
  }

  private static let milliseconds = 0...60_000

  /// Reads the key `quirks` into the quirks of the endpoint, and returns all fields.
  ///
  /// - Parameter more: the further keys that a role allows.
  static func quirks(
    _ value: YAMLValue, more: [String] = [], _ quirks: inout EndpointQuirks
  ) throws(ScenarioProblem) -> [String: YAMLValue] {
    let fields = try value.fields(["eak", "readsFirstMessageOnly", "packsMessages", "resetsAbove"] + more)
    if let eak = fields["eak"] {
      quirks.sendsBareExtendedAcknowledge = try eak.choice(["20": true, "60": false])
    }
    quirks.readsFirstMessageOnly = try fields["readsFirstMessageOnly"]?.flag() ?? false
    quirks.packsMessages = try fields["packsMessages"]?.flag() ?? false
    if let rate = fields["resetsAbove"] {
      let parts = try rate.fields(["messages", "within"])
      guard let messages = parts["messages"], let within = parts["within"] else {
        throw rate.problem("expected messages and within (milliseconds)")
      }
      quirks.resetsAbove = MessageRate(
        messages: try messages.integer(1...1000), milliseconds: try within.integer(1...60_000))
    }
    return fields
  }
}

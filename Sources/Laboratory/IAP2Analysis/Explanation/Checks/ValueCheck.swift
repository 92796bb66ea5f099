// swift-iap2 · Apache-2.0

import Basics
import IAP2

/// A value of a message that breaks a rule.
struct ValueFinding: Sendable {
  /// The rule.
  var rule: SessionRule
  /// The ids of the parameter and of the groups around it, the outermost one first.
  var path: [UInt16]
  /// The fault in words, such as `WiFiSSID has 33 bytes`.
  var detail: String
}

/// A check of the values of one message, also of those inside groups.
enum ValueCheck {
  /// Returns whether any rule is about the values of a message. Others need not be read.
  static func concerns(_ id: UInt16) -> Bool { concerned.contains(id) }

  private static let concerned = Set(
    MessageCatalog.all.filter { entry in concerns(entry.rows) || comparisons[entry.info.id] != nil }.map(\.info.id))

  private static func concerns(_ rows: [ParameterRow]) -> Bool {
    rows.contains { row in
      if case .group(let inner) = row.shape { return concerns(inner) }
      return row.limit != nil || row.mayBeJoined
    }
  }

  /// Returns the values of a message, with its header, that break a rule, in their order.
  static func findings(_ id: UInt16, _ message: RawSpan) -> [ValueFinding] {
    guard concerns(id), let rows = MessageCatalog[id]?.rows else { return [] }
    var found: [ValueFinding] = []
    add(ParameterNode.nodes(of: message, rows: rows).nodes, rows, path: [], name: "", to: &found)
    // A message that breaks its schema has its finding of that.
    do { if let compared = try comparisons[id]?(message) { found.append(compared) } } catch {}
    return found
  }

  private static func add(
    _ nodes: [ParameterNode], _ rows: [ParameterRow], path: [UInt16], name: String, to found: inout [ValueFinding]
  ) {
    for node in nodes {
      guard let row = rows.first(where: { $0.id == node.id }) else { continue }
      let (path, name) = (path + [node.id], name.isEmpty ? row.name : "\(name).\(row.name)")
      if case .group(let inner) = node.value {
        if case .group(let innerRows) = row.shape { add(inner, innerRows, path: path, name: name, to: &found) }
      } else if let count = row.joinedCount(node.value) {
        found.append(ValueFinding(rule: .joined, path: path, detail: "\(name) has \(count) values in one parameter"))
      } else if let limit = row.limit, let fault = limit.fault(in: node.value) {
        found.append(ValueFinding(rule: .of(limit), path: path, detail: "\(name) \(fault)"))
      }
    }
  }
}

extension ParameterRow {
  /// Whether values that belong into parameters of their own may stand in one. Lists of angles are seen in both forms
  /// (Sessions.md#angle-lists).
  fileprivate var mayBeJoined: Bool {
    guard count == .any || count == .some else { return false }
    return shape == .utf8 || shape != .i16 && shape.numberByteCount != nil
  }

  /// Returns the number of values in one parameter, if there are several; nil for one.
  fileprivate func joinedCount(_ value: ParameterNode.Value) -> Int? {
    guard mayBeJoined else { return nil }
    return switch value {
    case .list(let numbers) where numbers.count > 1: numbers.count
    case .text(let text) where text.utf8.contains(0): text.utf8.count { $0 == 0 } + 1
    default: nil
    }
  }
}

// MARK: Values that are compared

extension ValueCheck {
  private typealias Comparison = @Sendable (RawSpan) throws(WireError) -> ValueFinding?

  private static let comparisons: [UInt16: Comparison] = [
    PowerSourceUpdate.id: { bytes throws(WireError) in charge(try PowerSourceUpdate(decoding: bytes)) },
    AccessoryWiFiConfigurationInformation.id: { bytes throws(WireError) in
      let network = try AccessoryWiFiConfigurationInformation(decoding: bytes)
      return key(network.wiFiPassphrase, network.securityType, path: [2])
    },
    CarPlayStartSession.id: { bytes throws(WireError) in
      guard let wireless = try CarPlayStartSession(decoding: bytes).wirelessAttributes,
        let security = wireless.securityType, let passphrase = wireless.passphrase
      else { return nil }
      return key(passphrase, security, path: [1, 1])
    },
  ]

  private static func charge(_ offer: PowerSourceUpdate) -> ValueFinding? {
    guard offer.availableCurrentForDevice == 0, offer.deviceBatteryShouldChargeIfPowerIsPresent == true else {
      return nil
    }
    return ValueFinding(rule: .charge, path: [0], detail: "it offers 0 mA, and says that the battery should charge")
  }

  /// Compares a passphrase with the security of its network (Features.md#wifi-limits).
  private static func key(_ passphrase: String?, _ security: WiFiSecurityType, path: [UInt16]) -> ValueFinding? {
    guard security != .none, security != .wep else { return nil }
    let key = (passphrase ?? "").utf8
    let isKeyItself = key.count == 64 && key.allSatisfy { Hex.digit($0) != nil }
    // WPA3 alone has no shortest passphrase.
    let isAllowed = security.rawValue == 4 ? !key.isEmpty : (8...63).contains(key.count) || isKeyItself
    return isAllowed
      ? nil
      : ValueFinding(
        rule: .network, path: path,
        detail: "the security is \(security.rawValue), and the passphrase has \(key.count) bytes")
  }
}

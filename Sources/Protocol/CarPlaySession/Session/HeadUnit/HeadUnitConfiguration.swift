// swift-iap2 · Apache-2.0

/// The settings of a head unit's sessions.
public struct HeadUnitConfiguration: Sendable {
  /// The identity in pairings.
  public var identity: PairingIdentity
  /// The answer to `/info`.
  public var info: SessionInfo
  /// The generation.
  public var generation: Generation
  /// The features that the head unit enables if the phone requests them.
  public var features: Set<String>
  /// The paired phones: their Ed25519 keys by their identifiers.
  public var phones: [String: [UInt8]]
  /// The largest number of stored phones among those that pair while the head unit runs. The oldest are removed first.
  /// Ours: any phone that reaches the head unit may pair.
  public var maximumNewPhones = 500
  /// The modes at the end of the last session, with which the next one begins; nil to begin with those of ``info``. The
  /// head unit stores them at each end (CarPlaySession.md#last-user-mode).
  public var lastModes: ModeSnapshot?
  /// Whether iAP2 inside the session goes on the data stream once it is connected. Two programs send it as a command
  /// alone, LIVI and CAT, and phones read that (CarPlaySession.md#data-direction).
  public var sendsOnDataStream = false
  /// The status of the answer to a command without a known name: LIVI answers 200, CAT 501.
  public var unknownCommandStatus = 501
  /// The seconds that clock datagrams add to the time since the start of this machine; 0 for none. Pictures and input
  /// have the time since the start alone. The default is that of one program, with a capture of a phone
  /// (CarPlaySession.md#clock).
  public var clockEpochSeconds = ClockPacket.epochSeconds
  /// The times.
  public var times = SessionTimes()

  /// Creates settings.
  public init(
    identity: PairingIdentity, info: SessionInfo, generation: Generation = .current, features: Set<String> = [],
    phones: [String: [UInt8]] = [:]
  ) {
    (self.identity, self.info, self.generation) = (identity, info, generation)
    (self.features, self.phones) = (features, phones)
  }

  /// Returns the answer to a request for `/info`: the keys that its `qualifier` names, or all.
  package func answer(to body: [UInt8], enabled: [String]?) -> SessionInfo {
    var seen = info(enabled: enabled)
    // A body that is not a property list selects nothing.
    guard !body.isEmpty, let request = try? SessionInfo(bytes: body),
      let names = request.values["qualifier"]?.array?.compactMap(\.text), !names.isEmpty
    else { return seen }
    if names.contains(Self.textRecordKey) { seen.values[Self.textRecordKey] = .data(textRecord.bytes) }
    seen.values = seen.values.filter { names.contains($0.key) }
    return seen
  }

  private static let textRecordKey = "txtAirPlay"

  /// The TXT record of `_airplay._tcp`. Its values are those of `/info`. Source: CarPlayStart.md#txt-keys.
  public var textRecord: TextRecord {
    let known = info(enabled: nil)
    var keys = [("deviceid", known.deviceID ?? "")]
    keys.append(("features", FeatureBits(rawValue: info.features ?? 0).text))
    keys.append(("flags", "0x" + String(known.values["statusFlags"]?.integer ?? 0, radix: 16)))
    keys += [("model", known.model ?? ""), ("srcvers", known.sourceVersion ?? "")]
    if generation.offersPairing {
      let digits = identity.publicKey.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      keys += [("pi", identity.identifier), ("pk", digits.joined())]
    }
    return TextRecord(keys.map { TextRecord.Entry($0.0, $0.1) })
  }

  /// The features that can be enabled: those whose keys `/info` has.
  var usableFeatures: Set<String> {
    features.filter { feature in info.need(of: feature).map { $0.value != nil } ?? true }
  }

  /// Returns the `/info` that a phone receives. Before the set-up `enabled` is nil, and the phone receives all keys.
  func info(enabled: [String]?) -> SessionInfo {
    var seen = info
    if let lastModes { seen.begin(with: lastModes) }
    if generation.offersPairing {
      seen.values["pi"] = .text(identity.identifier)
      seen.values["pk"] = .data(identity.publicKey)
    }
    guard let enabled else { return seen }
    for (feature, key) in SessionInfo.keysOfFeatures where !enabled.contains(feature) { seen.values[key] = nil }
    seen.displays = info.displays?.compactMap { display in
      var display = display
      if display.type == StreamType.alternateScreen.rawValue, !enabled.contains("altScreen") { return nil }
      if !enabled.contains("viewAreas") { display.values["viewAreas"] = nil }
      return display
    }
    return seen
  }
}

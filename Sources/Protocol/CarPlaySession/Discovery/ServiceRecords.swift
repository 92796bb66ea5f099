// swift-iap2 · Apache-2.0

/// The TXT record of a head unit's service `_airplay._tcp` (CarPlayStart.md#txt-keys).
public struct HeadUnitRecord: Sendable, Hashable {
  /// The address of the head unit.
  public var deviceID: DeviceID?
  /// The feature bits.
  public var features: FeatureBits?
  /// The status flags.
  public var flags: UInt64?
  /// The model, free text.
  public var model: String?
  /// The version of the receiver, such as `320.17.8`.
  public var sourceVersion: String?
  /// The pairing identifier.
  public var pairingID: String?
  /// The Ed25519 key, 32 bytes.
  public var publicKey: [UInt8]?
  /// The faults of the record.
  public private(set) var problems: [RecordProblem] = []

  /// Reads a record.
  public init(_ text: TextRecord) {
    deviceID = read("deviceid", of: text, "AA:BB:CC:DD:EE:FF") { DeviceID($0) }
    features = read("features", of: text, "0xLOW,0xHIGH") { FeatureBits(text: $0) }
    flags = read("flags", of: text, "0xFLAGS", isNeeded: false) { FeatureBits.hexadecimal($0) }
    model = read("model", of: text, "a text", isNeeded: false) { $0 }
    sourceVersion = read("srcvers", of: text, "a version") { $0.isEmpty ? nil : $0 }
    let pairs = features?.contains(.pairing) ?? false
    pairingID = read("pi", of: text, "a UUID", isNeeded: pairs) { $0.isEmpty ? nil : $0 }
    publicKey = read("pk", of: text, "64 hexadecimal digits", isNeeded: pairs) { Self.key($0) }
    problems += text.repeatedKeys.map { .repeated(key: $0) }
    if let features {
      if !features.contains(.car) { problems.append(.noCar) }
      if !pairs { problems.append(.noPairing) }
    }
  }

  private static func key(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    let bytes = stride(from: 0, to: 64, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    return bytes.count == 32 ? bytes : nil
  }

  private mutating func read<Value>(
    _ key: String, of text: TextRecord, _ form: String, isNeeded: Bool = true, _ value: (String) -> Value?
  ) -> Value? {
    guard let found = text[key] else {
      if isNeeded { problems.append(.missing(key: key)) }
      return nil
    }
    guard let value = value(found) else {
      problems.append(.unreadable(key: key, value: found, form: form))
      return nil
    }
    return value
  }
}

/// The TXT record of a phone's service `_carplay-ctrl._tcp` (CarPlayStart.md#ctrl-service).
public struct PhoneRecord: Sendable, Hashable {
  /// The phone's Bluetooth address.
  public var bluetoothID: DeviceID?
  /// The version of AirPlay; the name of its key is not public, so `srcvers` is tried. Unverified.
  public var sourceVersion: String?
  /// The faults of the record.
  public private(set) var problems: [RecordProblem] = []

  /// Reads a record.
  public init(_ text: TextRecord) {
    sourceVersion = text["srcvers"]
    problems = text.repeatedKeys.map { .repeated(key: $0) }
    guard let id = text["id"] else {
      problems += [.missing(key: "id")]
      return
    }
    bluetoothID = DeviceID(id)
    if bluetoothID == nil { problems += [.unreadable(key: "id", value: id, form: "AA:BB:CC:DD:EE:FF")] }
  }

  /// Returns the record of a phone.
  public static func text(bluetoothID: DeviceID, sourceVersion: String) -> TextRecord {
    TextRecord([.init("id", bluetoothID.description), .init("srcvers", sourceVersion)])
  }
}

/// Something that is wrong with a TXT record.
public enum RecordProblem: Sendable, Hashable, CustomStringConvertible {
  /// A key is missing.
  case missing(key: String)
  /// A key came several times.
  case repeated(key: String)
  /// A value does not have its form.
  case unreadable(key: String, value: String, form: String)
  /// Feature bit 32 is missing: an AirPlay receiver that is no car.
  case noCar
  /// Feature bit 38 is missing: a phone of today refuses the connection (CarPlayStart.md#txt-bit-38).
  case noPairing

  public var description: String {
    switch self {
    case .missing(let key): "the TXT record has no \(key)"
    case .repeated(let key): "the TXT record has \(key) several times, and the first counts"
    case .unreadable(let key, let value, let form): "\(key) is \(value), not \(form)"
    case .noCar: "feature bit 32 (car) is missing: an AirPlay receiver that is no car"
    case .noPairing: "feature bit 38 (pairing) is missing: a phone of today refuses the connection"
    }
  }
}

// swift-iap2 · Apache-2.0

/// The request of the phone that sets a session up. Source: CarPlaySession.md#session-set-up.
public struct SessionSetUpRequest: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }

  /// The Bluetooth MAC address of the phone.
  public var deviceID: String? {
    get { self["deviceID"] }
    set { self["deviceID"] = newValue }
  }
  /// The Wi-Fi MAC address of the phone.
  public var macAddress: String? {
    get { self["macAddress"] }
    set { self["macAddress"] = newValue }
  }
  /// The name of the phone.
  public var name: String? {
    get { self["name"] }
    set { self["name"] = newValue }
  }
  /// The name of the model.
  public var model: String? {
    get { self["model"] }
    set { self["model"] = newValue }
  }
  /// The version of the session's protocol.
  public var sourceVersion: String? {
    get { self["sourceVersion"] }
    set { self["sourceVersion"] = newValue }
  }
  /// The name of the session.
  public var sessionUUID: String? {
    get { self["sessionUUID"] }
    set { self["sessionUUID"] = newValue }
  }
  /// The UDP port of the phone's clock; nil without a clock.
  public var timingPort: UInt16? {
    get { timingProtocol == "None" ? nil : self[port: "timingPort"] }
    set { self[port: "timingPort"] = newValue }
  }
  /// The keys that a head unit misses or cannot read, and can do without. With the protocol `None`, or with neither a protocol
  /// nor a port, no clock is wanted.
  package var problems: [ValueProblem] {
    var problems: [ValueProblem] = []
    if sessionUUID == nil {
      problems.append(ValueProblem("SETUP", "sessionUUID", values["sessionUUID"], expected: "a UUID"))
    }
    guard timingProtocol != "None" else { return problems }
    if values["timingPort"] != nil || timingProtocol != nil, timingPort == nil {
      problems.append(
        ValueProblem("SETUP", "timingPort", values["timingPort"], expected: "a UDP port; the session has no clock"))
    }
    if let value = values["timingProtocol"], timingProtocol != "NTP" {
      problems.append(
        ValueProblem("SETUP", "timingProtocol", value, expected: "NTP or None; the clock is that of NTP"))
    }
    return problems
  }
  /// The protocol of the clock: `NTP`, or `None`.
  public var timingProtocol: String? {
    get { self["timingProtocol"] }
    set { self["timingProtocol"] = newValue }
  }
  /// The features that the phone requests.
  public var features: [String] {
    get { self["features"] ?? [] }
    set { self["features"] = newValue }
  }
  /// The kind of ``encryptedKey``.
  public var encryptionType: Int? {
    get { self["et"] }
    set { self["et"] = newValue }
  }
  /// The kind of a session key that the cipher of auth-setup encrypts.
  public static let authSetupEncryption = 16
  /// The encrypted session key of a connection without pair-verify.
  public var encryptedKey: [UInt8]? {
    get { self[data: "ekey"] }
    set { self[data: "ekey"] = newValue }
  }
  /// The initialization vector that belongs to the session key.
  public var initializationVector: [UInt8]? {
    get { self[data: "eiv"] }
    set { self[data: "eiv"] = newValue }
  }
  /// Whether the phone sends datagrams of a low-power keep-alive.
  public var wantsKeepAlive: Bool {
    get { self["keepAliveLowPower"] ?? false }
    set { self["keepAliveLowPower"] = newValue }
  }
}

/// The answer to the set-up of a session.
public struct SessionSetUpAnswer: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }

  /// The TCP port of the event channel.
  public var eventPort: UInt16? {
    get { self[port: "eventPort"] }
    set { self[port: "eventPort"] = newValue }
  }
  /// The UDP port of the head unit's clock.
  public var timingPort: UInt16? {
    get { self[port: "timingPort"] }
    set { self[port: "timingPort"] = newValue }
  }
  /// The UDP port of the low-power keep-alive.
  public var keepAlivePort: UInt16? {
    get { self[port: "keepAlivePort"] }
    set { self[port: "keepAlivePort"] = newValue }
  }
  /// The features that the head unit enables.
  public var enabledFeatures: [String] {
    get { self["enabledFeatures"] ?? [] }
    set { self["enabledFeatures"] = newValue }
  }
}

/// The values of a stream in the request for its set-up, in the answer, and in the request for its end. Source:
/// CarPlaySession.md#stream-set-up.
public struct StreamBody: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }

  /// The `clientTypeUUID` of a data stream for iAP2. The value is that of one program.
  package static let clientOfIAP = "E9459FD0-BCAD-4C45-820F-1E72447EF2F2"
  /// Whether a data stream is for iAP2. Others carry the data of other clients.
  package var isForIAP: Bool { (self["clientTypeUUID"] as String?)?.uppercased() == Self.clientOfIAP }

  /// Creates the body of a type.
  public init(_ type: StreamType) { values = ["type": .integer(Int64(type.rawValue))] }

  /// The type; nil for an unknown number.
  public var type: StreamType? { (self["type"] as Int?).flatMap(StreamType.init(rawValue:)) }
  /// The identifier from which the keys follow. It is written in 8 bytes, as LIVI and CAT do.
  public var connectionID: UInt64? {
    get { self["streamConnectionID"] }
    set { values["streamConnectionID"] = newValue.map { .integer(Int64(bitPattern: $0)) } }
  }
  /// The number that a data stream has in place of an identifier.
  public var seed: UInt64? {
    get { self["seed"] }
    set { values["seed"] = newValue.map { .integer(Int64(bitPattern: $0)) } }
  }
  /// The name of the screen.
  public var uuid: String? {
    get { self["uuid"] }
    set { self["uuid"] = newValue }
  }
  /// The port of the body's sender for the bytes of the stream.
  public var dataPort: UInt16? {
    get { self[port: "dataPort"] }
    set { self[port: "dataPort"] = newValue }
  }
  /// The port of the body's sender for synchronization and retransmission.
  public var controlPort: UInt16? {
    get { self[port: "controlPort"] }
    set { self[port: "controlPort"] = newValue }
  }
  /// The format of sound; nil for a number that is not one known format.
  public var audioFormat: AudioFormat? {
    get { (self["audioFormat"] as UInt64?).flatMap(AudioFormat.init(rawValue:)) }
    set { self["audioFormat"] = newValue?.rawValue }
  }
  /// The kind of sound, such as `media`.
  public var audioType: String? {
    get { self["audioType"] }
    set { self["audioType"] = newValue }
  }
  /// The time between the arrival and the playing of sound, in milliseconds.
  public var audioLatencyMilliseconds: Int? {
    get { self["audioLatencyMs"] }
    set { self["audioLatencyMs"] = newValue }
  }
  /// The latency of sound. At most a minute counts.
  var soundLatency: Duration { .milliseconds(min(max(0, audioLatencyMilliseconds ?? 0), 60_000)) }
  /// The latency of sound in samples.
  var latencySampleCount: Int { Int(soundLatency / .milliseconds(1)) * (audioFormat?.rate ?? 0) / 1000 }
  /// The number of samples in a packet.
  public var framesPerPacket: Int? {
    get { self["framesPerPacket"] }
    set { self["framesPerPacket"] = newValue }
  }
  /// Whether the phone requests the microphone.
  public var wantsInput: Bool {
    get { self["input"] ?? false }
    set { self["input"] = newValue }
  }
  /// The time between the arrival and the showing of a picture, in milliseconds.
  public var latencyMilliseconds: Int? {
    get { self["latencyMs"] }
    set { self["latencyMs"] = newValue }
  }
  /// The key of buffered sound.
  public var sharedKey: [UInt8]? {
    get { self[data: "shk"] }
    set { self[data: "shk"] = newValue }
  }
}

/// A list of streams in a request or an answer.
public struct StreamList: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }

  /// Creates a list.
  public init(_ streams: [StreamBody]) { values = ["streams": streams.propertyValue] }

  /// The streams; nil without a list.
  public var streams: [StreamBody]? { self["streams"] }

  /// Whether the body has a list of any form.
  public var hasStreams: Bool { values["streams"] != nil }
}

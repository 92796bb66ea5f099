// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession

/// A session as both sides send it, in the clear, for a judge. Each part can be changed by its name.
struct Script {
  /// A message with its name. The body is a property list or bytes.
  struct Part {
    enum Body {
      case none
      case list([String: PropertyValue])
      case bytes([UInt8])
      case items([(TLV8.Kind, [UInt8])])
    }

    let name: String
    let channel: SessionJudge.Channel
    let side: SessionSide
    /// The method and the path; nil for the answer to the part before.
    let request: (method: String, path: String)?
    var body: Body
    /// The value of Content-Type; nil for none.
    var type: String?
    var status = 200
    var sequence: String?
  }

  /// The place at which the event connection opens.
  static let opening = "events"

  var parts: [Part] = []
  private var count = 0

  /// A session that breaks no rule.
  init() {
    pair()
    add("auth", "POST", "/auth-setup", .bytes([1] + key), .bytes(key + [0, 0, 0, 2, 0x30, 0, 0, 0, 0, 1, 7]))
    add("setUp", "SETUP", "rtsp://a/1", .list(Self.setUp), .list(Self.setUpAnswer))
    parts.append(Part(name: Self.opening, channel: .control, side: .phone, request: nil, body: .none))
    add("info", "GET", "/info", .none, .list(Self.info.values))
    add("record", "RECORD", "rtsp://a/1", .none, .none)
    add("streams", "SETUP", "rtsp://a/1", .list(Self.streams), .list(Self.streamsAnswer))
    add(
      "report", "POST", "/command", .list(["type": "hidSendReport", "uuid": "1", "hidReport": .data([0])]), .none,
      on: .events)
    add("feedback", "POST", "/feedback", .none, .list(["streams": [["type": 100, "sr": 48000.0]]]))
  }

  private mutating func pair() {
    func items(_ state: UInt8, _ more: [(TLV8.Kind, [UInt8])]) -> Part.Body { .items([(.state, [state])] + more) }
    let (sealed, proof, number) = ([UInt8](repeating: 5, count: 40), [UInt8](repeating: 4, count: 64), key)
    add(
      "setup1", "POST", "/pair-setup", items(1, [(.method, [0])]),
      items(2, [(.salt, Array(0..<16)), (.publicKey, [UInt8](repeating: 2, count: 384))]))
    add(
      "setup3", "POST", "/pair-setup", items(3, [(.publicKey, [UInt8](repeating: 3, count: 384)), (.proof, proof)]),
      items(4, [(.proof, proof)]))
    add(
      "setup5", "POST", "/pair-setup", items(5, [(.encryptedData, sealed)]), items(6, [(.encryptedData, sealed)]))
    add(
      "verify1", "POST", "/pair-verify", items(1, [(.publicKey, number)]),
      items(2, [(.publicKey, number), (.encryptedData, sealed)]))
    add("verify3", "POST", "/pair-verify", items(3, [(.encryptedData, sealed)]), items(4, []))
  }

  private let key = [UInt8](repeating: 9, count: 32)

  static let setUp: [String: PropertyValue] = [
    "sessionUUID": "A", "timingPort": 5000, "timingProtocol": "NTP", "features": ["viewAreas"],
  ]
  static let setUpAnswer: [String: PropertyValue] = [
    "eventPort": 6000, "timingPort": 6001, "enabledFeatures": ["viewAreas"],
  ]
  static let streams: [String: PropertyValue] = [
    "streams": [
      ["type": 110, "streamConnectionID": 7, "uuid": "D"],
      ["type": 100, "streamConnectionID": 8, "audioFormat": .integer(1 << 15), "controlPort": 5001],
    ]
  ]
  static let streamsAnswer: [String: PropertyValue] = [
    "streams": [
      ["type": 110, "dataPort": 6002], ["type": 100, "dataPort": 6003, "controlPort": 6004, "streamConnectionID": 8],
    ]
  ]

  /// A button of one bit (Consumer, Play/Pause), as the USB standard writes it.
  static let descriptor: [UInt8] = [
    0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0x15, 0, 0x25, 1, 0x75, 8, 0x95, 1, 0x09, 0xCD, 0x81, 2, 0xC0,
  ]

  static let info = SessionInfo(values: [
    "deviceID": "00:11:22:33:44:55", "features": .integer(1 << 7 | 1 << 9),
    "displays": [
      [
        "uuid": "D", "type": 110, "widthPixels": 800, "heightPixels": 480, "initialViewArea": 0,
        "viewAreas": [["widthPixels": 800, "heightPixels": 480, "originXPixels": 0, "originYPixels": 0]],
      ]
    ],
    "audioFormats": [["type": 100, "audioOutputFormats": .integer(1 << 15), "audioType": "default"]],
    "hidDevices": [["uuid": "1", "hidDescriptor": .data(descriptor)]],
  ])

  private mutating func add(
    _ name: String, _ method: String, _ path: String, _ request: Part.Body, _ answer: Part.Body,
    on channel: SessionJudge.Channel = .control
  ) {
    let side: SessionSide = channel == .control ? .phone : .headUnit
    count += 1
    parts.append(
      Part(
        name: name, channel: channel, side: side, request: (method, path), body: request, type: Self.type(of: request),
        sequence: "\(count)"))
    parts.append(
      Part(
        name: name + ".answer", channel: channel, side: side.other, request: nil, body: answer,
        type: Self.type(of: answer), sequence: "\(count)"))
  }

  private static func type(of body: Part.Body) -> String? {
    switch body {
    case .none: nil
    case .list: "application/x-apple-binary-plist"
    case .bytes: "application/octet-stream"
    case .items: "application/pairing+tlv8"
    }
  }

  // MARK: Changes

  /// Changes a part.
  mutating func change(_ name: String, _ change: (inout Part) -> Void) {
    for index in parts.indices where parts[index].name == name { change(&parts[index]) }
  }

  /// Changes the property list of a part.
  mutating func list(_ name: String, _ change: (inout [String: PropertyValue]) -> Void) {
    self.change(name) { part in
      guard case .list(var values) = part.body else { return }
      change(&values)
      part.body = .list(values)
    }
  }

  /// Changes the first display of `/info`.
  mutating func display(_ change: (inout [String: PropertyValue]) -> Void) {
    list("info.answer") { values in
      guard case .dictionary(var first)? = values["displays"]?.array?.first else { return }
      change(&first)
      values["displays"] = [.dictionary(first)]
    }
  }

  /// Replaces or removes an item of pairing.
  mutating func item(_ name: String, _ kind: TLV8.Kind, _ value: [UInt8]?) {
    change(name) { part in
      guard case .items(let items) = part.body else { return }
      part.body = .items(items.compactMap { $0.0 == kind ? value.map { (kind, $0) } : $0 })
    }
  }

  /// Moves parts, by the beginnings of their names, before another one.
  mutating func move(_ name: String, before other: String) {
    let moved = parts.filter { $0.name.hasPrefix(name) }
    parts.removeAll { $0.name.hasPrefix(name) }
    parts.insert(contentsOf: moved, at: parts.firstIndex { $0.name == other } ?? 0)
  }

  mutating func remove(_ name: String) { parts.removeAll { $0.name.hasPrefix(name) } }

  /// Returns the breaches that a judge finds.
  func breaches(isWhole: Bool = true, textRecord: [String: String]? = nil) -> (
    found: [CarPlayBreach], reached: [SessionState]
  ) {
    var judge = SessionJudge(isWhole: isWhole)
    judge.textRecord = textRecord
    var waiting: RequestMessage?
    for part in parts {
      guard part.name != Self.opening else {
        judge.openEvents()
        continue
      }
      let body: [UInt8] =
        switch part.body {
        case .none: []
        case .list(let values): PropertyValue.dictionary(values).binary
        case .bytes(let bytes): bytes
        case .items(let items): TLV8(items).bytes
        }
      let headers = RequestHeaders(
        [("CSeq", part.sequence), ("Content-Type", part.type)].compactMap { name, value in value.map { (name, $0) } })
      if let (method, path) = part.request {
        let message = RequestMessage(
          .request(method: method, path: path, protocolWord: "RTSP/1.0"), headers: headers, body: body)
        judge.take(request: message, on: part.channel, from: part.side)
        waiting = message
      } else {
        let message = RequestMessage(
          .answer(status: part.status, reason: "", protocolWord: "RTSP/1.0"), headers: headers, body: body)
        judge.take(answer: message, to: waiting, on: part.channel, from: part.side)
      }
    }
    return (judge.takeBreaches(), judge.reached)
  }
}

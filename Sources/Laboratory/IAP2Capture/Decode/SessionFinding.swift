// swift-iap2 · Apache-2.0

/// A finding in the packets of a CarPlay session.
public struct SessionFinding: Sendable, Hashable {
  /// The layer of a finding. The names are those of JSON lines.
  public enum Layer: String, Sendable, CaseIterable {
    /// A message of Bonjour about the services of CarPlay.
    case discovery = "carPlayDiscovery"
    /// A request of the control or event channel, or of the control API of a phone.
    case request = "carPlayRequest"
    /// An answer to a request.
    case answer = "carPlayAnswer"
    /// The beginning, the end, or a fact of a connection or a stream.
    case stream = "carPlayStream"
    /// A message of a screen.
    case picture = "carPlayPicture"
    /// Packets of sound, counted.
    case sound = "carPlaySound"
    /// A datagram of the clocks.
    case clock = "carPlayClock"
    /// A package of a data stream.
    case data = "carPlayData"
    /// Bytes whose keys are not known.
    case sealed = "carPlaySealed"
    /// Something that cannot be read, with the reason.
    case problem = "carPlayProblem"
  }

  /// A value of a finding with its name.
  public struct Field: Sendable, Hashable {
    /// The name, as in JSON lines and in filters.
    public var name: SessionField
    /// The value.
    public var value: FindingValue

    /// Creates a field.
    public init(_ name: SessionField, _ value: FindingValue) { (self.name, self.value) = (name, value) }
  }

  /// The layer.
  public var layer: Layer
  /// The finding in words, without its body.
  public var text: String
  /// The values.
  public var fields: [Field]
  /// The body of a message; nil for none.
  public var body: FindingTree?

  /// Creates a finding.
  public init(_ layer: Layer, _ text: String, _ fields: [Field] = [], body: FindingTree? = nil) {
    (self.layer, self.text, self.fields, self.body) = (layer, text, fields, body)
  }

  /// The text, the values and the body with the names that JSON lines have. Several values of one name are a list.
  var entries: [FindingTree.Entry] {
    var entries = [FindingTree.Entry("text", .value(.text(text)))]
    for name in SessionField.allCases {
      let values = self.values(name).map { FindingTree.value($0) }
      guard let first = values.first else { continue }
      entries.append(.init(name.rawValue, values.count == 1 ? first : .list(values)))
    }
    if let body { entries.append(.init("body", body)) }
    return entries
  }

  /// Returns the values of a field.
  package func values(_ name: SessionField) -> [FindingValue] { fields.filter { $0.name == name }.map(\.value) }
}

/// The names of a session's values.
public enum SessionField: String, Sendable, CaseIterable {
  /// The service of Bonjour: `_airplay._tcp` or `_carplay-ctrl._tcp`.
  case service
  /// The method of a request, and of the request that is answered.
  case method
  /// The path of a request, and of the request that is answered.
  case path
  /// The sequence number of a message, `CSeq`.
  case cseq
  /// The status of an answer.
  case statusCode
  /// A header with its name; a message has several.
  case header
  /// The procedure of pairing: `pair-setup` or `pair-verify`.
  case procedure
  /// The number of a message of pairing.
  case state
  /// The result of the check of a signature in a message of pairing.
  case proof
  /// The socket: `control`, `events`, `clock`, `keep-alive`, or a stream.
  case socket
  /// The type of the stream.
  case stream
  /// The bytes of a body, of sound, or of what is sealed.
  case byteCount
  /// The kind of a picture, of a package of data, or of a clock's datagram.
  case kind
  /// Whether a picture stands alone.
  case isKeyFrame
  /// The packets of sound that came.
  case packets
  /// The packets of sound that are missing.
  case lost
  /// The sequence number of the first packet of sound.
  case firstSequence
  /// The seconds between a question of the clock and its arrival, each by the clock of its side: the way and the
  /// difference of the clocks together.
  case clockDifference
  /// The seconds between a clock's question and its answer.
  case clockDelay
  /// The reason why something cannot be read.
  case reason
}

/// A value of a message with its parts: a property list, or the items of pairing.
public indirect enum FindingTree: Sendable, Hashable {
  /// A value with its name.
  public struct Entry: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: FindingTree

    /// Creates an entry.
    public init(_ name: String, _ value: FindingTree) { (self.name, self.value) = (name, value) }
  }

  /// A value without parts.
  case value(FindingValue)
  /// Values in their order.
  case list([FindingTree])
  /// Values with names.
  case group([Entry])

  /// Returns the values at a path of names, in lowercase, that begins at any depth. Lists have no names.
  func values(at path: ArraySlice<String>) -> [FindingValue] {
    switch self {
    case .value: []
    case .list(let parts): parts.flatMap { $0.values(at: path) }
    case .group(let entries):
      entries.flatMap { entry in
        let here = entry.name.lowercased() == path.first ? entry.value.values(under: path.dropFirst()) : []
        return here + entry.value.values(at: path)
      }
    }
  }

  private func values(under path: ArraySlice<String>) -> [FindingValue] {
    guard let name = path.first else { return own }
    return switch self {
    case .value: []
    case .list(let parts): parts.flatMap { $0.values(under: path) }
    case .group(let entries):
      entries.filter { $0.name.lowercased() == name }.flatMap { $0.value.values(under: path.dropFirst()) }
    }
  }

  /// The value itself. A list gives those of its parts; a group a text by which a filter knows that it is there.
  private var own: [FindingValue] {
    switch self {
    case .value(let value): [value]
    case .list(let parts): parts.flatMap(\.own)
    case .group(let entries): [.text("\(entries.count) values")]
    }
  }

  /// All texts.
  var texts: [String] {
    switch self {
    case .value(.text(let text)), .value(.name(let text, _)): [text]
    case .value: []
    case .list(let parts): parts.flatMap(\.texts)
    case .group(let entries): entries.flatMap { [$0.name] + $0.value.texts }
    }
  }
}

// swift-iap2 · Apache-2.0

package import IAP2

/// A summary of a whole capture. Its size does not grow with the capture.
package struct CaptureSummary: Sendable, Equatable {
  /// The summary of one connection.
  package struct Connection: Sendable, Equatable {
    /// The number of the first record with a finding, from 1; 0 before one.
    package var firstRecord = 0
    /// The number of the last record with a finding.
    package var lastRecord = 0
    /// The time of the first record in seconds; nil when the capture has no times.
    package var firstTime: Double?
    /// The time of the last record in seconds; nil when the capture has no times.
    package var lastTime: Double?
    /// The traffic that each side sent.
    package var traffic = BothSides(Traffic())
    /// The payload of each side's last SYN or SYN+ACK.
    package var synchronization = BothSides<LinkSynchronization?>(nil)
    /// The number of detect sequences of both sides.
    package var detects = 0
    /// The number of valid RST packets of both sides.
    package var resets = 0
    /// The last identification of the accessory that could be decoded.
    package var identification: IdentificationInformation?
    /// Whether AuthenticationSucceeded was sent.
    package var isAuthenticated = false
    /// Whether IdentificationAccepted was sent.
    package var isIdentified = false
    /// The control messages by id.
    package var messages: [UInt16: MessageTraffic] = [:]
    /// The protocol names by EA session id, from the last opening of that id.
    package var openProtocols: [UInt16: String] = [:]
    /// The EA sessions in order of appearance; their protocols are in ``openProtocols`` when the capture has the
    /// opening.
    package var externalAccessory: [ExternalAccessoryTraffic] = []
    /// The total length of the data in file transfer datagrams.
    package var fileByteCount = 0

    /// Creates an empty summary.
    package init() {}

    /// The sorted names of the features whose messages were sent.
    package var features: [String] {
      Set(messages.keys.compactMap { MessageCatalog[$0].map { "\($0.info.feature)" } }).sorted()
    }
  }

  /// The traffic that one side sent.
  package struct Traffic: Sendable, Equatable {
    /// The number of packets, including retransmissions and damaged ones.
    package var packets = 0
    /// The total length of the packets.
    package var byteCount = 0
    /// The number of packets without a payload.
    package var acknowledgements = 0
    /// The number of packets whose sequence number was received before.
    package var repeated = 0
    /// The number of packets with a wrong checksum.
    package var badChecksums = 0
    /// The number of errors.
    package var errors = 0

    mutating func note(_ header: LinkHeader, isRepeated: Bool, isBad: Bool) {
      packets += 1
      byteCount += header.byteCount
      if header.payloadByteCount == 0 { acknowledgements += 1 }
      if isRepeated { repeated += 1 }
      if isBad { badChecksums += 1 }
    }
  }

  /// The traffic of one EA session id, in both directions.
  package struct ExternalAccessoryTraffic: Sendable, Equatable {
    /// The EA session id.
    package var session: UInt16
    /// The total length of the data.
    package var byteCount: Int
  }

  /// The traffic of one control message id.
  package struct MessageTraffic: Sendable, Equatable {
    /// The number of messages.
    package var count = 0
    /// The total length of the messages.
    package var byteCount = 0
  }

  /// The connections, indexed by number.
  package internal(set) var connections: [Connection] = []
  /// The CarPlay sessions, by their numbers from 0.
  package internal(set) var sessions: [Int: SessionExplanation] = [:]
  /// The number of errors, including damage of the file.
  package internal(set) var errors = 0

  /// Creates an empty summary.
  package init() {}
}

/// A sink that builds a summary.
package struct SummarySink: DecodedSink {
  /// The summary of everything so far.
  package private(set) var summary = CaptureSummary()
  /// The timing statistics; nil when they are not wanted.
  package var timing: TimingStatistics?

  /// The maximum number of EA protocols and sessions to distinguish; no accessory has as many.
  private static let maximumProtocols = 256

  /// Creates a sink without findings.
  package init(timing: TimingStatistics? = nil) { self.timing = timing }

  @inline(__always)
  private mutating func connection(_ place: DecodedPlace) -> Int {
    while summary.connections.count <= place.flow { summary.connections.append(CaptureSummary.Connection()) }
    return place.flow
  }

  /// Counts a detect sequence.
  package mutating func detect(at place: DecodedPlace) {
    let index = connection(place)
    note(place, index)
    summary.connections[index].detects += 1
  }

  private mutating func note(_ place: DecodedPlace, _ index: Int) {
    if summary.connections[index].firstRecord == 0 {
      summary.connections[index].firstRecord = place.record
      summary.connections[index].firstTime = place.time
    }
    summary.connections[index].lastRecord = place.record
    if let time = place.time { summary.connections[index].lastTime = time }
  }

  /// Counts a packet, and an RST if its checksums are valid.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    let index = connection(place)
    note(place, index)
    timing?.link(header, isRepeated: isRepeated, at: place)
    let isBad = state == .invalid || payload == .invalid
    summary.connections[index].traffic[place.from].note(header, isRepeated: isRepeated, isBad: isBad)
    if header.control.contains(.reset), !isBad { summary.connections[index].resets += 1 }
  }

  /// Keeps the values as the side's last ones.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    summary.connections[connection(place)].synchronization[place.from] = parameters
  }

  /// Counts a control message and updates the state of the connection.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    let index = connection(place)
    note(place, index)
    let id = bytes.bigEndian16(4)
    timing?.message(id, at: place)
    summary.connections[index].messages[id, default: .init()].count += 1
    summary.connections[index].messages[id, default: .init()].byteCount += bytes.byteCount
    switch id {
    case AuthenticationSucceeded.id: summary.connections[index].isAuthenticated = true
    case IdentificationAccepted.id: summary.connections[index].isIdentified = true
    case IdentificationInformation.id:
      // An identification that cannot be decoded is reported as an error of the message.
      do { summary.connections[index].identification = try IdentificationInformation(decoding: bytes) } catch {}
    case StartExternalAccessoryProtocolSession.id: open(bytes, index)
    default: break
    }
  }

  private mutating func open(_ bytes: RawSpan, _ index: Int) {
    do {
      let start = try StartExternalAccessoryProtocolSession(decoding: bytes)
      let known = summary.connections[index].identification?.supportedExternalAccessoryProtocol
      let found = known?.first {
        $0.externalAccessoryProtocolIdentifier == start.externalAccessoryProtocolIdentifier
      }
      guard summary.connections[index].openProtocols.count < Self.maximumProtocols else { return }
      summary.connections[index].openProtocols[start.externalAccessoryProtocolSessionIdentifier] =
        found?.externalAccessoryProtocolName ?? "protocol \(start.externalAccessoryProtocolIdentifier)"
    } catch {}
  }

  /// Counts data of an EA session, for at most 256 session ids.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    let index = connection(place)
    if let known = summary.connections[index].externalAccessory.firstIndex(where: { $0.session == session }) {
      summary.connections[index].externalAccessory[known].byteCount += data.byteCount
    } else if summary.connections[index].externalAccessory.count < Self.maximumProtocols {
      summary.connections[index].externalAccessory.append(.init(session: session, byteCount: data.byteCount))
    }
  }

  /// Counts data of files.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) { summary.connections[connection(place)].fileByteCount += data.byteCount }

  /// Keeps the explanation of a CarPlay session.
  package mutating func session(_ explanation: SessionExplanation, number: Int) {
    summary.sessions[number] = explanation
  }

  /// Counts an error of the file.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) { summary.errors += 1 }

  /// Counts an error of a side.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    summary.errors += 1
    // Damage of the file belongs to no connection.
    guard summary.connections.indices.contains(place.flow) else { return }
    summary.connections[place.flow].traffic[place.from].errors += 1
  }
}

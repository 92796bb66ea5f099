// swift-iap2 · Apache-2.0

package import IAP2

/// What a whole capture has in it; its size does not grow with the capture.
package struct CaptureSummary: Sendable, Equatable {
  /// One connection of the capture.
  package struct Connection: Sendable, Equatable {
    package var firstRecord = 0
    package var lastRecord = 0
    package var firstTime: Double?
    package var lastTime: Double?
    package var traffic = BothSides(Traffic())
    /// The last SYN of each side.
    package var synchronization = BothSides<LinkSynchronization?>(nil)
    package var detects = 0
    package var resets = 0
    /// Of the accessory, as it said last.
    package var identification: IdentificationInformation?
    package var isAuthenticated = false
    package var isIdentified = false
    /// By id.
    package var messages: [UInt16: MessageTraffic] = [:]
    /// Protocols by the id of the open session.
    package var openProtocols: [UInt16: String] = [:]
    /// By session; their protocols are in ``openProtocols`` where the opening is in the capture.
    package var externalAccessory: [ExternalAccessoryTraffic] = []
    package var fileByteCount = 0

    package init() {}

    /// Features of the messages that were seen.
    package var features: [String] {
      Set(messages.keys.compactMap { MessageCatalog[$0].map { "\($0.info.feature)" } }).sorted()
    }
  }

  /// What one side sent.
  package struct Traffic: Sendable, Equatable {
    package var packets = 0
    package var byteCount = 0
    package var acknowledgements = 0
    package var repeated = 0
    package var badChecksums = 0
    package var errors = 0

    mutating func note(_ header: LinkHeader, isRepeated: Bool, isBad: Bool) {
      packets += 1
      byteCount += header.byteCount
      if header.payloadByteCount == 0 { acknowledgements += 1 }
      if isRepeated { repeated += 1 }
      if isBad { badChecksums += 1 }
    }
  }

  package struct ExternalAccessoryTraffic: Sendable, Equatable {
    package var session: UInt16
    package var byteCount: Int
  }

  package struct MessageTraffic: Sendable, Equatable {
    package var count = 0
    package var byteCount = 0
  }

  package internal(set) var connections: [Connection] = []
  package internal(set) var errors = 0

  package init() {}
}

/// Sums up what a decoder finds.
package struct SummarySink: DecodedSink {
  package private(set) var summary = CaptureSummary()
  /// Where somebody wants to know of times too.
  package var timing: TimingStatistics?

  /// EA protocols and sessions told apart; more than any accessory has.
  private static let maximumProtocols = 256

  package init(timing: TimingStatistics? = nil) { self.timing = timing }

  @inline(__always)
  private mutating func connection(_ place: DecodedPlace) -> Int {
    while summary.connections.count <= place.flow { summary.connections.append(CaptureSummary.Connection()) }
    return place.flow
  }

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

  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    summary.connections[connection(place)].synchronization[place.from] = parameters
  }

  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    let index = connection(place)
    note(place, index)
    let id = bytes.bigEndian16(4)
    timing?.message(id, at: place)
    summary.connections[index].messages[id, default: .init()].count += 1
    summary.connections[index].messages[id, default: .init()].byteCount += bytes.byteCount
    switch id {
    case AuthenticationSucceeded.info.id: summary.connections[index].isAuthenticated = true
    case IdentificationAccepted.info.id: summary.connections[index].isIdentified = true
    case IdentificationInformation.info.id:
      // One that cannot be read is told where it stands.
      do { summary.connections[index].identification = try IdentificationInformation(decoding: bytes) } catch {}
    case StartExternalAccessoryProtocolSession.info.id: open(bytes, index)
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

  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    let index = connection(place)
    if let known = summary.connections[index].externalAccessory.firstIndex(where: { $0.session == session }) {
      summary.connections[index].externalAccessory[known].byteCount += data.byteCount
    } else if summary.connections[index].externalAccessory.count < Self.maximumProtocols {
      summary.connections[index].externalAccessory.append(.init(session: session, byteCount: data.byteCount))
    }
  }

  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) { summary.connections[connection(place)].fileByteCount += data.byteCount }

  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) { summary.errors += 1 }

  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    summary.errors += 1
    // Damage of the file belongs to no connection.
    guard summary.connections.indices.contains(place.flow) else { return }
    summary.connections[place.flow].traffic[place.from].errors += 1
  }
}

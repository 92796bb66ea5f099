// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The first inputs of the targets, made from captures and from the rows of the catalog.
package struct Seeds {
  /// The inputs of each target, by a name that states their origin.
  package private(set) var inputs: [FuzzTarget: [String: [UInt8]]] = [:]

  /// - Parameter captures: whole files, by name.
  package init(captures: [String: [UInt8]]) {
    for (name, bytes) in captures.sorted(by: { $0.key < $1.key }) { add(capture: name, bytes) }
    for entry in MessageCatalog.all {
      var distinct = DistinctBytes()
      add(.catalog, entry.name, distinct.message(entry))
    }
    var distinct = DistinctBytes()
    add(.identification, "every-row", distinct.parameters(IdentificationInformation.rows))
    add(.synchronization, "standard", LinkSynchronization.standard.bytes)
    for (name, program) in Self.transfers { add(.fileTransfer, name, program) }
    for (name, program) in Self.exercises { add(.endpoint, name, program) }
    for (name, program) in Self.sessions { add(.session, name, program) }
    for (name, bytes) in CertificateTarget.seeds { add(.certificate, name, bytes) }
    for (target, seeds) in CarPlaySeeds.all { for (name, bytes) in seeds { add(target, name, bytes) } }
  }

  private mutating func add(_ target: FuzzTarget, _ name: String, _ bytes: [UInt8]) {
    inputs[target, default: [:]][name] = Array(bytes.prefix(target.maximumByteCount))
  }

  // MARK: Captures

  private mutating func add(capture name: String, _ bytes: [UInt8]) {
    for target in FuzzTarget.captures where bytes.count <= target.maximumByteCount {
      if CaptureTarget.isInput(bytes, of: target) { add(target, name, bytes) }
    }
    var analyzer = CaptureAnalyzer(sink: LineSink())
    analyzer.append(bytes)
    analyzer.finish()
    var messages: [Side: [[UInt8]]] = [:]
    for line in analyzer.sink.lines {
      switch line.content {
      case .synchronization(let payload): add(.synchronization, "\(name)-\(line.record)", payload.bytes)
      case .control(_, _, _, let message): messages[line.from, default: []].append(message)
      default: continue
      }
    }
    for (side, all) in messages { add(messages: all, of: side, name) }
    addStreams(name, bytes)
  }

  private mutating func add(messages: [[UInt8]], of side: Side, _ name: String) {
    add(.control, "\(name)-\(side)", [side == .accessory ? 1 : 0, 3, 255, 40, 7] + messages.flatMap { $0 })
    for message in messages {
      let id = UInt16(message[4]) << 8 | UInt16(message[5])
      let label = "\(MessageCatalog[id]?.name ?? MessageCatalog.text(id))-\(name)"
      add(.catalog, label, message)
      if id == IdentificationInformation.id { add(.identification, name, Array(message.dropFirst(6))) }
    }
    // The messages in packets to a link that is up, with the sequence numbers it expects.
    var stream: [UInt8] = []
    for (index, message) in messages.enumerated() where message.count < 400 {
      stream += packet(0x40, 0x41 &+ UInt8(truncatingIfNeeded: index), 0x10, session: 1, message)
    }
    add(.link, "\(name)-\(side)-up", [side == .accessory ? 21 : 20, 2, 30, 5] + stream)
  }

  /// Adds the bytes that one side sent, as input to an endpoint of the other side.
  private mutating func addStreams(_ name: String, _ bytes: [UInt8]) {
    let pieces = CaptureTarget.pieces(of: bytes)
    for side in Side.allCases {
      let stream = pieces.filter { $0.from == side }.flatMap(\.bytes)
      if !stream.isEmpty { add(.link, "\(name)-\(side)", [side == .accessory ? 1 : 0, 2, 20, 3] + stream) }
    }
  }

  // MARK: Programs

  /// Steps for ``FileTransferTarget``. The operation of a peer's datagram is 4 plus eight times its index.
  private static let transfers: [String: [UInt8]] = {
    let setup: [UInt8] = [4, 0x85, 8, 0, 0, 0, 0, 0, 0, 0, 4]
    let theirs: [UInt8] = setup + [1, 0x85, 0x0C, 0x85, 2, 1, 2, 0x1C, 0x85, 2, 3, 4]
    return [
      "received": [0] + theirs, "refused": [0, 4, 0x85, 8, 0, 0, 0, 0, 0, 1, 0, 0],
      "sent": [1, 0, 0, 9, 0x2C, 0x80, 0, 0x44, 0x80, 0],
      "paused": [0] + setup + [1, 0x85, 2, 0x85, 1, 0x85, 3, 0x85],
      "wrong-size": [0] + setup + [1, 0x85, 0x24, 0x85, 1, 1],
    ]
  }()

  /// Programs of ``SessionTarget``: the way to readiness and each kind of end.
  private static let sessions: [(String, [UInt8])] = [
    ("ready-requested", [0, 0, 0, 13, 40, 0, 10, 0, 4, 4]),
    ("ea-and-disconnect", [3, 0, 6, 0, 0x87, 1, 90, 0x87, 1, 90, 0x8A, 0, 4, 0, 4, 4]),
    ("pulled-while-opening", [0, 0, 6, 11, 0x8B, 4]),
    ("lost-and-probed", [0, 0, 3, 0x83, 9, 0x89, 4, 4, 4, 4, 4, 4]),
    ("refused", [4, 0, 0, 4, 4]),
    ("unanswered-requests", [0, 15, 0, 4, 4, 15, 0, 4]),
    ("reset-and-again", [0, 0, 12, 9, 0xFF, 0x5A, 0, 9, 0x10, 0x40, 0, 0, 0x4E, 0, 4, 0, 4, 0]),
  ]

  /// Steps for ``EndpointTarget``, which follow its six configuration bytes.
  private static let exercises: [String: [UInt8]] = {
    let plain: [UInt8] = [0, 31, 255, 31, 255, 1]
    let small: [UInt8] = [0x3E, 3, 5, 2, 9, 7]
    let up: [UInt8] = [1, 12]
    let messages: [UInt8] = [3, 5, 0x13, 200, 3, 0, 3, 90, 1, 9]
    let stream: [UInt8] = [4, 5, 250, 0x15, 40, 1, 7, 6, 255, 0x16, 255, 5, 255, 1, 31]
    let file: [UInt8] = [0x18, 90, 1, 5, 9, 0, 1, 31]
    let harm: [UInt8] = [2, 1, 3, 30, 0x12, 13, 3, 30, 2, 4, 0x13, 5, 1, 31, 1, 31]
    return [
      "messages": plain + up + messages, "stream": plain + up + stream, "file": plain + up + file,
      "harm": plain + up + harm + stream, "small": small + up + messages + stream + file + harm,
      "zero-acknowledgement": [1] + plain.dropFirst() + up + messages + stream + file,
      "reset": plain + up + messages + [0x0B, 1, 3, 0x0E, 0x1E, 1, 20] + messages,
      "close": plain + up + messages + [0x1C, 1, 20, 0x0E, 1, 20], "cut": plain + up + [15, 3, 5, 1, 31, 1, 31, 1, 31],
      "probe": small + up + messages + [0x0D, 1, 3, 0x1D, 1, 3],
    ]
  }()
}

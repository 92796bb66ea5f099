// swift-iap2 · Apache-2.0

import IAP2

/// The target for file transfer with a peer that sends arbitrary datagrams.
///
/// Input: the side, then steps: an operation on a file, or a datagram of the peer with its length.
enum FileTransferTarget {
  /// The state of a file at the application that receives it.
  private struct Incoming {
    var expected: UInt64
    var received: UInt64 = 0
    var isAccepted = false
    /// The bytes that count towards the bound of all files.
    var claimed: UInt64 { expected > 0 ? expected : received }
  }

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let first = program.byte()
    var limits = Limits()
    limits.fileTransfers = 4
    limits.fileByteCount = 1000
    limits.openFileByteCount = 1500
    var exercise = Progress(
      station: try Harness.up(first & 1 == 0 ? .accessory : .device, limits: limits), limits: limits)
    while !program.isOver { try exercise.step(&program) }
  }

  private struct Progress {
    var station: Harness
    let limits: Limits
    var incoming: [UInt8: Incoming] = [:]
    var outgoing: Set<UInt8> = []

    mutating func step(_ program: inout Program) throws(Finding) {
      let operation = program.byte()
      let id = program.byte()
      switch operation & 7 {
      case 0: try offer(Int(program.byte()) * 8)
      case 1: accept(id)
      case 2: pause(id)
      case 3: cancel(id)
      default:
        // Valid operations of the peer are more frequent than others.
        let operations: [UInt8] = [0x04, 0x80, 0x00, 0x40, 0xC0, 0x01, 0x02, 0x03, 0x05, 0x06]
        let word = operation >> 3 < 10 ? operations[Int(operation >> 3)] : operation
        let data = program.take(Int(program.byte()))
        let datagram = station.data(session: 2, [id, word] + data)
        try station.receive(datagram)
      }
      try station.transmit()
      _ = station.takeSent()
      for reported in station.take() { try note(reported) }
      // Sent packets are acknowledged, so that the window never ends a transfer.
      let acknowledgement = packet(0x40, station.sequence &- 1, station.endpoint.lastSentSequence.rawValue)
      try station.receive(acknowledgement)
      try station.transmit()
      for reported in station.take() { try note(reported) }
    }

    private var claimed: UInt64 { incoming.values.reduce(0) { $0 + $1.claimed } }

    private mutating func offer(_ byteCount: Int) throws(Finding) {
      do {
        let id = try station.endpoint.sendFile([UInt8](repeating: 0xA5, count: byteCount), type: nil)
        try Self.isOurs(id, station.endpoint.side)
        outgoing.insert(id)
      } catch let finding as Finding { throw finding } catch {}
    }

    private static func isOurs(_ id: UInt8, _ side: Side) throws(Finding) {
      try require((id >= 128) == (side == .device), "the id \(id) is the peer's")
    }

    private mutating func accept(_ id: UInt8) {
      do {
        try station.endpoint.acceptFile(id)
        incoming[id]?.isAccepted = true
      } catch {}
    }

    private mutating func pause(_ id: UInt8) { do { try station.endpoint.pauseFile(id) } catch {} }

    private mutating func cancel(_ id: UInt8) {
      do {
        try station.endpoint.cancelFile(id)
        incoming[id] = nil
        outgoing.remove(id)
      } catch {}
    }

    private mutating func note(_ reported: Harness.Reported) throws(Finding) {
      guard case .fileTransfer(let event) = reported.event else { return }
      switch event {
      case .offered(let id, let setup):
        try require(incoming[id] == nil, "the file \(id) offered twice")
        try require(setup.byteCount <= UInt64(limits.fileByteCount), "\(setup.byteCount) bytes are too many")
        incoming[id] = Incoming(expected: setup.byteCount)
        try require(incoming.count <= limits.fileTransfers, "\(incoming.count) files at once")
        try require(claimed <= UInt64(limits.openFileByteCount), "\(claimed) bytes of files at once")
      case .refused(let id, let byteCount):
        let isReason =
          byteCount > UInt64(limits.fileByteCount) || incoming.count >= limits.fileTransfers
          || claimed + byteCount > UInt64(limits.openFileByteCount)
        try require(isReason && incoming[id] == nil, "the file \(id) refused for nothing")
      case .data(let id, let payload, let isLast):
        guard var file = incoming[id], file.isAccepted else { throw Finding("data of the file \(id), not accepted") }
        file.received += UInt64(payload.byteCount)
        let bound = file.expected > 0 ? file.expected : UInt64(limits.fileByteCount)
        try require(file.received <= bound, "\(file.received) bytes of \(bound)")
        try require(!isLast || file.expected == 0 || file.received == file.expected, "complete too early")
        incoming[id] = file
        try require(claimed <= UInt64(limits.openFileByteCount), "\(claimed) bytes of files at once")
        if isLast { incoming[id] = nil }
      case .paused(let id): try require(outgoing.contains(id), "\(id) paused, which we do not send")
      case .delivered(let id): try require(outgoing.remove(id) != nil, "\(id) delivered, which we did not send")
      case .failed(let id), .cancelled(let id):
        let wasThere = outgoing.remove(id) != nil || incoming.removeValue(forKey: id) != nil
        try require(wasThere, "\(id) over, which was not there")
      }
    }
  }
}

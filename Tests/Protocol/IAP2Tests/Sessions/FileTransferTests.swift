// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

/// Facts: FileTransfer.md#datagrams.
@Suite struct FileTransferTests {
  static func up(_ conditions: LinkConditions = .perfect, seed: UInt64 = 1) -> Pair {
    var pair = PairTests.pair(conditions: conditions, seed: seed)
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    return pair
  }

  static func events(_ pair: Pair, _ side: Side) -> [FileTransferEvent] {
    pair.observed[side]!.compactMap { if case .fileTransfer(let event) = $0.event { event } else { nil } }
  }

  static func bytes(_ pair: Pair, _ side: Side, file: UInt8) -> [UInt8] {
    pair.observed[side]!.flatMap { observed -> [UInt8] in
      if case .fileTransfer(.data(file, _, _)) = observed.event { observed.bytes } else { [] }
    }
  }

  static func file(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) } }

  @Test(arguments: Side.allCases, [0, 1, 4084, 4085, 100_000]) func aFileArrivesWholeInEitherDirection(
    from side: Side, byteCount: Int
  ) throws {
    var pair = Self.up()
    let sent = Self.file(byteCount)
    let id = try pair[side].sendFile(sent, type: 2)
    #expect((id >= 128) == (side == .device))
    pair.flush()
    let offered = pair.run { !Self.events($0, side.peer).isEmpty }
    #expect(offered)
    #expect(
      Self.events(pair, side.peer) == [
        .offered(id: id, FileTransferSetup(byteCount: UInt64(byteCount), type: 2))
      ])
    try pair[side.peer].acceptFile(id)
    pair.flush()
    let done = pair.run { Self.events($0, side).contains(.delivered(id: id)) }
    #expect(done)
    #expect(Self.bytes(pair, side.peer, file: id) == sent)
  }

  /// Above the steps of these transfers: a transfer that stands still fails soon.
  private static let stepLimit = 3000

  @Test(arguments: 1...20) func severalFilesCrossOnARoughMedium(seed: UInt64) throws {
    var pair = Self.up(.rough(0.05), seed: seed)
    var sent: [Side: [UInt8: [UInt8]]] = [.accessory: [:], .device: [:]]
    for side in Side.allCases {
      for count in [10, 20_000, 5000] {
        let file = Self.file(count)
        sent[side]![try pair[side].sendFile(file, type: nil)] = file
      }
    }
    pair.flush()
    let offered = pair.run(limit: Self.stepLimit) { pair in
      Side.allCases.allSatisfy { Self.events(pair, $0).count >= 3 }
    }
    #expect(offered)
    for side in Side.allCases { for id in sent[side]!.keys { try pair[side.peer].acceptFile(id) } }
    pair.flush()
    let delivered = pair.run(limit: Self.stepLimit) { pair in
      Side.allCases.allSatisfy { side in
        sent[side]!.keys.allSatisfy { Self.events(pair, side).contains(.delivered(id: $0)) }
      }
    }
    #expect(delivered, "seed \(seed)")
    for side in Side.allCases {
      for (id, file) in sent[side]! { #expect(Self.bytes(pair, side.peer, file: id) == file, "seed \(seed)") }
    }
  }

  @Test func aPausedFileWaitsAndContinues() throws {
    var bench = Bench.up(.accessory)
    bench.events = []
    let setup = bench.data(session: 2, [200, 4, 0, 0, 0, 0, 0, 0, 0, 6])
    bench.receive(setup)
    try bench.endpoint.acceptFile(200)
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [200, 1])
    let first = bench.data(session: 2, [200, 0x80, 1, 2], acknowledging: 0x11)
    bench.receive(first)
    try bench.endpoint.pauseFile(200)
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [200, 3])
    // Data that was already under way counts.
    let second = bench.data(session: 2, [200, 0x00, 3, 4], acknowledging: 0x12)
    bench.receive(second)
    try bench.endpoint.acceptFile(200)
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [200, 1])
    let last = bench.data(session: 2, [200, 0x40, 5, 6], acknowledging: 0x13)
    bench.receive(last)
    #expect(bench.events.flatMap(\.bytes) == [1, 2, 3, 4, 5, 6])
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [200, 5])
    #expect(throws: APIMisuse.fileTransferNotPossible(id: 200)) { try bench.endpoint.acceptFile(200) }
  }

  @Test func aSenderThatIsPausedSendsNothingUntilStarted() throws {
    var bench = Bench.up(.device, offer: synchronization(1, 24, 2000, 22, 30, 1))
    bench.events = []
    let id = try bench.endpoint.sendFile(Self.file(100), type: nil)
    _ = bench.sent()
    let start = bench.data(session: 2, [id, 1], acknowledging: 0x11)
    bench.receive(start)
    #expect(bench.sent().contains { $0.count > 9 && $0[10] == 0x80 })
    let pause = bench.data(session: 2, [id, 3], acknowledging: 0x12)
    bench.receive(pause)
    #expect(bench.sent().allSatisfy { $0.count == 9 })
    #expect(bench.reported() == [.fileTransfer(.paused(id: id))])
    let again = bench.data(session: 2, [id, 1], acknowledging: 0x12)
    bench.receive(again)
    #expect(bench.sent().contains { $0.count > 9 && $0[10] == 0x00 })
  }

  @Test(arguments: Side.allCases) func eitherSideCancels(canceller: Side) throws {
    var pair = Self.up()
    let id = try pair.device.sendFile(Self.file(1000), type: nil)
    pair.flush()
    let offered = pair.run { !Self.events($0, .accessory).isEmpty }
    #expect(offered)
    try pair[canceller].cancelFile(id)
    pair.flush()
    let reported = pair.run { Self.events($0, canceller.peer).contains(.cancelled(id: id)) }
    #expect(reported)
    #expect(throws: APIMisuse.fileTransferNotPossible(id: id)) { try pair.accessory.acceptFile(id) }
  }

  @Test func sizesThatDoNotMatchFail() {
    for (announced, operation, data) in [(4, 0x40, [1, 2, 3]), (2, 0x80, [1, 2, 3])] as [(UInt8, UInt8, [UInt8])] {
      var bench = Bench.up(.accessory)
      bench.events = []
      let setup = bench.data(session: 2, [129, 4, 0, 0, 0, 0, 0, 0, 0, announced])
      bench.receive(setup)
      do { try bench.endpoint.acceptFile(129) } catch { Issue.record("\(error)") }
      _ = bench.sent()
      let piece = bench.data(session: 2, [129, operation] + data, acknowledging: 0x11)
      bench.receive(piece)
      #expect(bench.reported().last == .fileTransfer(.failed(id: 129)))
      #expect(bench.sent().last.map { Array($0[9..<11]) } == [129, 6])
    }
  }

  @Test func everyOfferIsSentWhenTheQueueIsFull() throws {
    var limits = Limits()
    limits.fileTransfers = 1
    // The window has one packet, and the peer acknowledges nothing at first.
    var bench = Bench.up(.device, offer: synchronization(1, 128, 2000, 22, 30, 1), limits: limits)
    var offered: [UInt8] = []
    for _ in 0..<20 { offered.append(try bench.endpoint.sendFile([1], type: nil)) }
    var announced: [UInt8] = []
    for turn in 0..<25 {
      announced += bench.sent().filter { $0.count > 10 && $0[10] == 4 }.map { $0[9] }
      bench.receive(packet(0x40, 0x40, 0x11 + UInt8(turn)))
    }
    #expect(announced == offered)
  }

  @Test func aStepThatExceedsTheQueueChangesNothing() throws {
    // The window has one packet, and the peer acknowledges nothing.
    var bench = Bench.up(.device, offer: synchronization(1, 128, 2000, 22, 30, 1))
    var id = try bench.endpoint.sendFile([1], type: nil)
    var steps = 0
    var problem: APIMisuse?
    while steps < 2000, problem == nil {
      do throws(APIMisuse) {
        try bench.endpoint.cancelFile(id)
        id = try bench.endpoint.sendFile([1], type: nil)
      } catch { problem = error }
      steps += 1
    }
    guard case .queueFull? = problem else {
      Issue.record("\(String(describing: problem)) after \(steps) steps")
      return
    }
  }

  @Test func offersAboveOurLimitsAreCancelled() {
    var bench = Bench.up(.accessory)
    bench.events = []
    let huge = bench.data(session: 2, [130, 4, 1, 0, 0, 0, 0, 0, 0, 0])
    bench.receive(huge)
    #expect(bench.reported() == [.fileTransfer(.refused(id: 130, byteCount: 1 << 56))])
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [130, 2])
  }

  /// All open files of a peer have one bound; a file counts with the size that its Setup names.
  @Test func theFilesOfAPeerHaveOneBound() throws {
    var limits = Limits()
    limits.fileByteCount = 80
    limits.openFileByteCount = 100
    var bench = Bench.up(.accessory, limits: limits)
    bench.events = []
    func setUp(_ id: UInt8, _ byteCount: UInt8) -> [ProtocolEvent] {
      let setup = bench.data(session: 2, [id, 4, 0, 0, 0, 0, 0, 0, 0, byteCount])
      bench.receive(setup)
      return bench.reported()
    }
    func offered(_ id: UInt8, _ byteCount: UInt8) -> ProtocolEvent {
      .fileTransfer(.offered(id: id, FileTransferSetup(byteCount: UInt64(byteCount), type: nil)))
    }
    #expect(setUp(128, 80) == [offered(128, 80)])
    #expect(setUp(129, 21) == [.fileTransfer(.refused(id: 129, byteCount: 21))])
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [129, 2])
    #expect(setUp(129, 20) == [offered(129, 20)])
    #expect(setUp(130, 1) == [.fileTransfer(.refused(id: 130, byteCount: 1))])
    // The end of a file frees its part.
    try bench.endpoint.cancelFile(128)
    _ = bench.sent()
    #expect(setUp(128, 79) == [offered(128, 79)])
    // A file without a size counts with the bytes that arrived.
    #expect(setUp(130, 0) == [offered(130, 0)])
    try bench.endpoint.acceptFile(130)
    _ = bench.sent()
    for (piece, event) in [[130, 0x80, 1], [130, 0x00, 2]].enumerated() {
      let datagram = bench.data(session: 2, event.map { UInt8($0) })
      bench.receive(datagram)
      let reported = bench.reported()
      if piece == 0 {
        #expect(reported.count == 1 && reported.last != .fileTransfer(.failed(id: 130)))
      } else {
        #expect(reported == [.fileTransfer(.failed(id: 130))])
      }
    }
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [130, 6])
    #expect(bench.endpoint.invariantViolation == nil)
  }

  /// A file alone has the bound of one file, also if that is above the bound of all.
  @Test func aFileAloneIsBoundedByItsOwnLimit() {
    var limits = Limits()
    limits.fileByteCount = 200
    limits.openFileByteCount = 100
    var bench = Bench.up(.accessory, limits: limits)
    bench.events = []
    let setup = bench.data(session: 2, [128, 4, 0, 0, 0, 0, 0, 0, 0, 200])
    bench.receive(setup)
    #expect(bench.reported() == [.fileTransfer(.offered(id: 128, FileTransferSetup(byteCount: 200, type: nil)))])
    let other = bench.data(session: 2, [129, 4, 0, 0, 0, 0, 0, 0, 0, 1])
    bench.receive(other)
    #expect(bench.reported() == [.fileTransfer(.refused(id: 129, byteCount: 1))])
  }

  @Test func setupWithAnIdOfOurRangeIsCancelled() {
    var bench = Bench.up(.accessory)
    bench.events = []
    let wrong = bench.data(session: 2, [5, 4, 0, 0, 0, 0, 0, 0, 0, 1])
    bench.receive(wrong)
    #expect(bench.reported() == [.violation(.badFileTransfer(file: 5, operation: 4))])
    #expect(bench.sent().last.map { Array($0[9..<11]) } == [5, 2])
  }

  @Test func operationsOutOfTurnAreReported() {
    var bench = Bench.up(.accessory)
    bench.events = []
    for operation in [0x00, 0x02, 0x40, 0x80, 0x07, 0x99] as [UInt8] {
      let datagram = bench.data(session: 2, [140, operation, 1])
      bench.receive(datagram)
      #expect(bench.reported() == [.violation(.badFileTransfer(file: 140, operation: operation))])
    }
  }

  @Test func asManyFilesAsIdsAreOpenAtOnce() throws {
    var bench = Bench.up(.device)
    for _ in 0..<128 { _ = try bench.endpoint.sendFile([1], type: nil) }
    #expect(throws: APIMisuse.noFreeFileIdentifier) { try bench.endpoint.sendFile([1], type: nil) }
  }
}

// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2
import IAP2Formats
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2USB

/// The limit of a wait for another thread, which usually takes milliseconds. A busy machine may need seconds.
private let waitLimit = Duration.seconds(60)

/// Waits until another thread makes the condition true. Returns false after the limit.
private func eventually(_ condition: () -> Bool) async throws -> Bool {
  let end = ContinuousClock.now + waitLimit
  while !condition() {
    guard ContinuousClock.now < end else { return false }
    try await Task.sleep(for: .milliseconds(5))
  }
  return true
}

/// Files of a function on a bus that is stuck. A read never returns by itself, a write succeeds until the unplug, and
/// the disable event arrives only on `plug`.
private final class StuckFiles: GadgetFiles {
  let writeByteCount = 64
  let packetByteCount: Int? = 512
  let isReadyForConnection = true
  let keepsFirstBytes = false
  private let bytes: [Int32]
  private let events: [Int32]
  private let state = Mutex((isEnabled: false, isClosed: false, isUnplugged: false))
  private let writes = Mutex<[Int]>([])

  /// The sizes of all writes.
  var written: [Int] { writes.withLock { $0 } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The writes fail from now on, but no event reports it.
  func unplug() { state.withLock { $0.isUnplugged = true } }

  func plug() {
    state.withLock { ($0.isUnplugged, $0.isEnabled) = (false, false) }
    _ = unsafe Glibc.write(events[1], [1], 1)
  }

  init() {
    func ends() -> [Int32] {
      var ends: [Int32] = [0, 0]
      unsafe pipe(&ends)
      return ends
    }
    (bytes, events) = (ends(), ends())
  }

  func nextEvents() -> [FunctionEvent]? {
    let isFirst = state.withLock { state in
      defer { state.isEnabled = true }
      return !state.isEnabled
    }
    if isFirst { return [.enable] }
    var byte: UInt8 = 0
    guard unsafe Glibc.read(events[0], &byte, 1) > 0 else { return [] }
    return byte == 0 ? nil : [.disable]
  }

  func stopEvents() { _ = unsafe Glibc.write(events[1], [0], 1) }

  func read(into buffer: inout [UInt8]) -> GadgetOutcome {
    GadgetOutcome(status: unsafe Glibc.read(bytes[0], &buffer, buffer.count))
  }

  func write(_ bytes: ArraySlice<UInt8>) -> GadgetOutcome {
    guard !state.withLock({ $0.isUnplugged }) else { return .disabled }
    writes.withLock { $0.append(bytes.count) }
    return .done(bytes.count)
  }

  func close() {
    for descriptor in bytes + events { Glibc.close(descriptor) }
    state.withLock { $0.isClosed = true }
  }
}

@Suite struct GadgetFunctionTests {
  @Test func aFunctionClosesIfItsGadgetCannotBeDetached() async throws {
    let files = StuckFiles()
    let function = GadgetFunction(files, isNative: false, address: "usb-gadget")
    startThread("test") { function.close() }
    #expect(try await eventually { files.isClosed })
  }

  private struct NoGadget: GadgetUse {
    func dropped() {}
    func nativeStream(of name: String) -> GadgetTransport? { nil }
  }

  private func connection(of function: GadgetFunction) async throws -> GadgetTransport {
    var connection: GadgetTransport?
    #expect(
      try await eventually {
        connection = function.connect(NoGadget())
        return connection != nil
      })
    return try #require(connection)
  }

  @Test func anEmptyPacketIsAwaitedAfterTheLastBytes() async throws {
    let files = StuckFiles()
    // A busy machine may run the writing thread late.
    let function = GadgetFunction(files, isNative: false, address: "usb-gadget", drainSeconds: 60)
    for _ in 0..<2 {
      let transport = try await connection(of: function)
      try await transport.send([1, 2, 3])
      await transport.close()
    }
    #expect(files.written == [3, 0, 3, 0])
    startThread("test") { function.close() }
    #expect(try await eventually { files.isClosed })
  }

  @Test(arguments: [
    (byteCount: 65_536, room: 65_536, tries: [65_536]), (65_536, 16_384, [65_536, 16_384]), (16_384, 0, [16_384]),
  ])
  func aKernelWithoutContiguousMemoryGetsSmallerRequests(byteCount: Int, room: Int, tries: [Int]) {
    var asked: [Int] = []
    let outcome = FunctionFiles.withMemory(for: byteCount) { count in
      asked.append(count)
      guard count > room else { return count }
      errno = ENOMEM
      return -1
    }
    #expect(asked == tries)
    #expect(outcome == (room > 0 ? .done(room) : .failed(ENOMEM)))
  }

  @Test func aWriteWithoutABusAllowsNoConnectionUntilTheBusReturns() async throws {
    let files = StuckFiles()
    let function = GadgetFunction(files, isNative: false, address: "usb-gadget")
    let transport = try await connection(of: function)
    try await transport.send([1])
    files.unplug()
    await #expect(throws: TransportError.unplugged(address: "usb-gadget")) { try await transport.send([2]) }
    await transport.close()
    #expect(function.connect(NoGadget()) == nil)
    files.plug()
    #expect(try await eventually { function.connect(NoGadget()) != nil })
    startThread("test") { function.close() }
    #expect(try await eventually { files.isClosed })
  }
}

/// Tests of a phone's function whose files are a pipe. The tests write the events of FunctionFS into it.
@Suite struct ReportFunctionFileTests {
  private final class Bench: Sendable {
    let function: ReportFunction
    private let folder: URL
    private let control: Int32
    private let received = Mutex<[FunctionEvent]>([])

    /// The received events without requests.
    var events: [FunctionEvent] { received.withLock { $0.filter { $0 != .setup } } }

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data().write(to: folder.appending(path: "ep1"))
      let path = folder.appending(path: "ep0").path()
      try #require(unsafe mkfifo(path, 0o600) == 0)
      control = unsafe open(path, O_RDWR | O_NONBLOCK)
      function = try ReportFunction(
        folder: folder.path(), address: "usb-gadget-phone",
        requests: PhoneRequests(table: .phone, switchesRoles: false), roomMilliseconds: 10
      ) { _ in }
      // The kernel would consume these bytes: descriptors and strings.
      var bytes = [UInt8](repeating: 0, count: 4096)
      while unsafe Glibc.read(control, &bytes, bytes.count) > 0 {}
      startThread("test") { [self] in
        while let events = function.nextEvents() { received.withLock { $0 += events } }
      }
    }

    /// Writes bytes and returns when the function has read them.
    private func write(_ bytes: [UInt8]) throws {
      try #require(unsafe Glibc.write(control, bytes, bytes.count) == bytes.count)
      let end = ContinuousClock.now + waitLimit
      while true {
        var waiting: Int32 = 0
        _ = unsafe ioctl(control, UInt(FIONREAD), &waiting)
        if waiting == 0 { return }
        try #require(ContinuousClock.now < end, "the function does not read")
        usleep(100)
      }
    }

    func report(_ event: FunctionEvent, _ setup: [UInt8] = [UInt8](repeating: 0, count: 8)) throws {
      try write(setup + [event.rawValue, 0, 0, 0])
    }

    static let payloadByteCount = 254

    /// Sends a SET_REPORT of the longest report to the phone, 21, as the only report of its packet.
    func report(_ byte: UInt8) throws {
      try report(.setup, [0x21, 9, 21, 2, 0, 0, 0, 1])
      try write([21, 0] + [UInt8](repeating: byte, count: Self.payloadByteCount))
    }

    func end() throws {
      function.stopEvents()
      try FileManager.default.removeItem(at: folder)
    }
  }

  @Test func eventsAreReceivedWhileTheHostsBytesAreUnread() async throws {
    let bench = try Bench()
    let count = ReportFunction.waitingByteCount / Bench.payloadByteCount + 1
    for _ in 0..<count { try bench.report(0x11) }
    // This report has no room and is dropped.
    try bench.report(0x22)
    try bench.report(.suspend)
    #expect(try await eventually { bench.events == [.suspend] })
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    guard case .done(let kept) = bench.function.read(into: &buffer) else { throw CancellationError() }
    #expect(kept == count * Bench.payloadByteCount && buffer[..<kept].allSatisfy { $0 == 0x11 })
    // After the read there is room again.
    try bench.report(0x33)
    #expect(try await eventually { bench.function.isReadyForConnection })
    #expect(bench.function.read(into: &buffer).byteCount == Bench.payloadByteCount && buffer[0] == 0x33)
    try bench.end()
  }
}

@Suite struct ReportWritingTests {
  /// Reports of which the first one, with its id, fills a packet of 64 bytes.
  private static let table = HIDReportTable(
    toAccessory: [
      HIDReportTable.Report(id: 1, byteCount: 63), HIDReportTable.Report(id: 2, byteCount: 100),
    ], toDevice: [HIDReportTable.Report(id: 3, byteCount: 63)])

  @Test func aFullPacketThatIsNotTheLongestReportIsFollowedByAnEmptyOne() {
    let short = ReportFunction.pieces([UInt8](repeating: 1, count: 62), in: Self.table)
    #expect(short.map(\.count) == [64, 0])
    let long = ReportFunction.pieces([UInt8](repeating: 1, count: 99), in: Self.table)
    #expect(long.map(\.count) == [101])
  }

  private struct WriteLog: Equatable {
    var written: [Int]
    var end: GadgetOutcome?

    init(_ written: [Int], _ end: GadgetOutcome?) { (self.written, self.end) = (written, end) }
  }

  /// Writes two pieces, the second one empty, with these outcomes of the writes.
  private static func log(_ outcomes: [GadgetOutcome]) -> WriteLog {
    var rest = outcomes[...]
    var written: [Int] = []
    let end = ReportFunction.write([[1, 2], []]) { piece in
      written.append(piece.count)
      return rest.popFirst() ?? .failed(0)
    }
    return WriteLog(written, end)
  }

  @Test func anEmptyPacketIsWrittenLikeAnyOther() {
    #expect(Self.log([.done(2), .done(0)]) == WriteLog([2, 0], nil))
    #expect(
      Self.log([.interrupted, .done(2), .interrupted, .interrupted, .done(0)]) == WriteLog([2, 2, 0, 0, 0], nil))
    #expect(Self.log([.done(2), .disabled]) == WriteLog([2, 0], .disabled))
    #expect(Self.log([.done(2), .failed(5)]) == WriteLog([2, 0], .failed(5)))
    #expect(Self.log([.disabled]) == WriteLog([2], .disabled))
  }
}

extension GadgetOutcome {
  fileprivate var byteCount: Int? { if case .done(let count) = self { count } else { nil } }
}

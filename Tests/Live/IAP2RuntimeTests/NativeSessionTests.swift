// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

/// Native EA protocols in virtual time. An app sees the same as with a protocol on the link.
@Suite struct NativeSessionTests {
  private static let name = "com.example.native"

  private static var profile: HeadUnitProfile {
    var profile = HeadUnitProfile.standard(protocols: [name, "com.example.echo"])
    profile.identification.makeNative([name])
    return profile
  }

  /// A transport that counts the bytes of the link, with or without native streams.
  private struct Tally: ByteTransport {
    let inner: MemoryTransport
    let sent: Mutex<Int>.Box
    var carriesNatives = true
    var failing = false
    var address: String { inner.address }

    func receive() async throws(TransportError) -> [UInt8]? { try await inner.receive() }
    func send(_ bytes: [UInt8]) async throws(TransportError) {
      sent.value.withLock { $0 += bytes.count }
      try await inner.send(bytes)
    }
    func close() async { await inner.close() }
    func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
      if failing { return Failing() }
      return carriesNatives ? inner.nativeStream(of: name, among: protocols) : nil
    }
  }

  private struct Failing: ByteTransport {
    var address: String { "failing" }
    func receive() async throws(TransportError) -> [UInt8]? { throw .refused(address: address) }
    func send(_ bytes: [UInt8]) async throws(TransportError) { throw .refused(address: address) }
    func close() async {}
  }

  private struct Story: Sendable {
    var headUnit: [RoleEvent] = []
    var phone: [RoleEvent] = []
    /// The bytes that both sides sent over the link.
    var linkByteCount = 0

    /// The ends of EA sessions and of the connection, in order.
    static func ends(_ events: [RoleEvent]) -> [RoleEvent] {
      events.filter {
        switch $0 {
        case .externalAccessoryClosed, .disconnected: true
        default: false
        }
      }
    }
  }

  private static func play(
    carriesNatives: Bool = true, phoneFails: Bool = false,
    service: @escaping @Sendable (ExternalAccessoryStream) async -> Void = echo,
    _ script: @escaping @Sendable (HeadUnit, Phone, MemoryTransport) async throws -> Void
  ) throws -> Story {
    try VirtualTime.run { time in
      let pair = MemoryTransport.pair()
      let sent = Mutex<Int>.Box(0)
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: profile, options: options)
      for name in [name, "com.example.echo"] { await headUnit.serve(name, service) }
      let phone = Phone(options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: Tally(inner: pair.accessory, sent: sent, carriesNatives: carriesNatives))
          headUnit.finish()
        }
        group.addTask {
          _ = await phone.run(
            on: Tally(inner: pair.device, sent: sent, carriesNatives: carriesNatives, failing: phoneFails))
          phone.finish()
        }
        group.addTask {
          do {
            try await time.sleep(until: MonotonicTime(nanoseconds: 5_000_000_000))
            try await script(headUnit, phone, pair.accessory)
          } catch { Issue.record("\(error)") }
          await phone.disconnect()
        }
        var story = Story()
        for await event in headUnit.events { story.headUnit.append(event.event) }
        for await event in phone.events { story.phone.append(event.event) }
        story.linkByteCount = sent.value.withLock { $0 }
        return story
      }
    }
  }

  @Sendable private static func echo(_ stream: ExternalAccessoryStream) async {
    while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
  }

  private static func pattern(_ count: Int, _ seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 2_654_435_761 >> 13) }
  }

  /// Writes and reads concurrently.
  private static func exchange(_ bytes: [UInt8], _ stream: ExternalAccessoryStream) async throws -> [UInt8] {
    async let writing: Void = stream.write(bytes)
    var back: [UInt8] = []
    while back.count < bytes.count, let chunk = await stream.read() { back += chunk }
    try await writing
    return back
  }

  @Test(arguments: [true, false]) func nativeAndLinkSessionsCarryTheSameStream(isBeside: Bool) throws {
    let bytes = Self.pattern(700_000)
    let story = try Self.play(carriesNatives: isBeside) { _, phone, _ in
      let stream = try await phone.open(Self.name)
      #expect(try await Self.exchange(bytes, stream) == bytes)
      await stream.close()
      await #expect(throws: ExternalAccessoryError.sessionEnded) { try await stream.write([1]) }
    }
    // On the link the bytes are sent once in each direction.
    #expect((story.linkByteCount < 20_000) == isBeside, "\(story.linkByteCount)")
    let end = RoleEvent.externalAccessoryClosed(
      protocol: Self.name, session: 1, bytesSent: bytes.count, bytesReceived: bytes.count)
    #expect(
      Story.ends(story.phone).first == end && Story.ends(story.phone).map(\.disconnectCause) == [nil, .requested])
    #expect(Story.ends(story.headUnit).first == end)
    #expect(Story.ends(story.headUnit).map(\.disconnectCause) == [nil, .linkReset])
  }

  @Test func sessionsInSequenceShareNoByte() throws {
    let story = try Self.play { _, phone, _ in
      for round in 0..<3 {
        let stream = try await phone.open(Self.name)
        let bytes = Self.pattern(50_000, round)
        #expect(try await Self.exchange(bytes, stream) == bytes)
        // The next session must not read bytes that this one left unread.
        try await stream.write([UInt8](repeating: 0xEE, count: 3000))
        await stream.close()
      }
    }
    #expect(Story.ends(story.phone).count == 4 && Story.ends(story.headUnit).count == 4)
  }

  @Test func bytesWrittenBeforeACloseArrive() throws {
    let bytes = Self.pattern(300_000)
    let received = Mutex<[UInt8]>.Box([])
    let story = try Self.play { stream in
      while let chunk = await stream.read() { received.value.withLock { $0 += chunk } }
    } _: { _, phone, _ in
      let stream = try await phone.open(Self.name)
      try await stream.write(bytes)
      await stream.close()
    }
    #expect(received.value.withLock { $0 } == bytes)
    #expect(Story.ends(story.phone).last?.disconnectCause == .requested)

    // The accessory closes the session, and the bytes it wrote arrive before.
    _ = try Self.play { stream in
      do { try await stream.write(bytes) } catch { Issue.record("\(error)") }
    } _: { _, phone, _ in
      let stream = try await phone.open(Self.name)
      var back: [UInt8] = []
      while let chunk = await stream.read() { back += chunk }
      #expect(back == bytes)
    }
  }

  @Test func aSlowReaderDelaysOnlyItsOwnSender() throws {
    let written = Mutex<Int>.Box(0)
    _ = try Self.play { stream in
      guard stream.protocolName == Self.name else { return await Self.echo(stream) }
      let chunk = [UInt8](repeating: 7, count: 65_536)
      while true {
        do { try await stream.write(chunk) } catch { return }
        written.value.withLock { $0 += chunk.count }
      }
    } _: { _, phone, _ in
      let native = try await phone.open(Self.name)
      let other = try await phone.open("com.example.echo")
      let bytes = Self.pattern(200_000)
      #expect(try await Self.exchange(bytes, other) == bytes)
      // The mark of unread bytes, the transport's buffer and the writer's queue together are below this bound.
      #expect(written.value.withLock { $0 } < 4 << 20)
      var count = 0
      while count < 8 << 20, let chunk = await native.read() { count += chunk.count }
      #expect(count >= 8 << 20)
      await native.close()
      await other.close()
    }
  }

  @Test func aPulledCableEndsSessionsBeforeTheConnection() throws {
    let story = try Self.play { _, phone, transport in
      let stream = try await phone.open(Self.name)
      try await stream.write(Self.pattern(100_000))
      transport.cut()
      while await stream.read() != nil {}
      await #expect(throws: ExternalAccessoryError.sessionEnded) { try await stream.write([1]) }
    }
    for events in [story.phone, story.headUnit] {
      let ends = Story.ends(events)
      guard case .externalAccessoryClosed? = ends.first else {
        Issue.record("\(ends)")
        continue
      }
      #expect(ends.count == 2)
    }
    #expect(Story.ends(story.headUnit).last?.disconnectCause == .transportClosed)
    // The phone decides the end before it notices the pulled cable, so the decided cause stays.
    #expect(Story.ends(story.phone).last?.disconnectCause == .requested)
  }

  @Test func aProtocolUsesOneDataPath() throws {
    let story = try Self.play { _, phone, _ in
      let first = try await phone.open(Self.name)
      await #expect(throws: ExternalAccessoryError.refused(Self.name)) { _ = try await phone.open(Self.name) }
      let bytes = Self.pattern(1000)
      #expect(try await Self.exchange(bytes, first) == bytes)
      await first.close()
    }
    #expect(story.headUnit.contains(.violation(.externalAccessoryNotPossible(session: 2))))
  }

  @Test func aFailedDataPathEndsItsSessionOnly() throws {
    let story = try Self.play(phoneFails: true) { _, phone, _ in
      let stream = try await phone.open(Self.name)
      #expect(await stream.read() == nil)
      let other = try await phone.open("com.example.echo")
      #expect(try await Self.exchange([1, 2, 3], other) == [1, 2, 3])
      await other.close()
    }
    #expect(story.phone.contains(.violation(.externalAccessoryEndpointsFailed(session: 1))))
    #expect(Story.ends(story.headUnit).count == 3)
  }
}

extension Mutex where Value: Sendable {
  /// A mutex that closures share.
  fileprivate final class Box: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }
}

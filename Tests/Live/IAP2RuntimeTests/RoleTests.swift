// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

@Suite struct RoleTests {
  /// The events of both sides of a connection in virtual time.
  struct Story: Sendable {
    var headUnit: [RoleEvent] = []
    var phone: [RoleEvent] = []

    static func causes(_ events: [RoleEvent]) -> [DisconnectCause] {
      events.compactMap(\.disconnectCause)
    }
  }

  static func play(
    profile: HeadUnitProfile = .standard(protocols: ["com.example.echo"]),
    authenticator: any Authenticator = SoftwareAuthenticator.test, verifier: AuthenticationVerifier = .test,
    order: SessionOrder = .authenticationFirst, timeout: Duration? = nil,
    service: (@Sendable (ExternalAccessoryStream) async -> Void)? = nil,
    _ script: @escaping @Sendable (HeadUnit, Phone, MemoryTransport) async -> Void
  ) throws -> Story {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      options.identifyTimeout = timeout
      var phoneProfile = PhoneProfile()
      phoneProfile.order = order
      let headUnit = HeadUnit(profile: profile, authenticator: authenticator, options: options)
      let phone = Phone(profile: phoneProfile, verifier: verifier, options: options)
      if let service { await headUnit.serve("com.example.echo", service) }
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: transports.accessory)
          headUnit.finish()
        }
        group.addTask {
          _ = await phone.run(on: transports.device)
          phone.finish()
        }
        group.addTask {
          // Long enough for everything that both sides send by themselves.
          do { try await time.sleep(until: MonotonicTime(nanoseconds: 5_000_000_000)) } catch { return }
          await script(headUnit, phone, transports.accessory)
        }
        var story = Story()
        for await event in headUnit.events { story.headUnit.append(event.event) }
        for await event in phone.events { story.phone.append(event.event) }
        return story
      }
    }
  }

  @Test(arguments: SessionOrder.allCases) func bothOrdersEndIdentified(order: SessionOrder) throws {
    let story = try Self.play(order: order) { _, phone, _ in await phone.disconnect() }
    #expect(story.headUnit.contains { $0.identification != nil } && story.headUnit.contains(.authenticated))
    #expect(story.phone.contains { $0.identification != nil } && story.phone.contains(.authenticated))
  }

  /// Ctrl-C may come after the end of one connection and before the next one, to a peer that never answers.
  @Test func aStopBetweenTwoConnectionsHolds() throws {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(), authenticator: SoftwareAuthenticator.test, options: options)
      await headUnit.stop()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          // A connection that runs all the same ends here, with another result.
          do { try await time.sleep(until: MonotonicTime(nanoseconds: 60_000_000_000)) } catch { return }
          await headUnit.drop()
        }
        #expect(await headUnit.run(on: transports.accessory) == ServeResult(wasIdentified: false))
        #expect(await (try? transports.device.receive()) == .some(nil))
        group.cancelAll()
      }
    }
  }

  @Test func theEndingSideReportsRequestedAndTheOtherLinkReset() throws {
    let byPhone = try Self.play { _, phone, _ in await phone.disconnect() }
    #expect(Story.causes(byPhone.phone) == [.requested])
    #expect(Story.causes(byPhone.headUnit) == [.linkReset])
    let byHeadUnit = try Self.play { headUnit, _, _ in await headUnit.disconnect() }
    #expect(Story.causes(byHeadUnit.phone) == [.linkReset])
    #expect(Story.causes(byHeadUnit.headUnit) == [.requested])
  }

  @Test func aPulledCableIsTransportClosedOnBothSides() throws {
    let story = try Self.play { _, _, transport in transport.cut() }
    #expect(Story.causes(story.phone) == [.transportClosed])
    #expect(Story.causes(story.headUnit) == [.transportClosed])
  }

  @Test func aServiceThatDoesNotReturnDoesNotHoldTheEnd() throws {
    // It waits without end and ignores its cancellation.
    let endless: @Sendable (ExternalAccessoryStream) async -> Void = { _ in
      await withCheckedContinuation { (never: CheckedContinuation<Void, Never>) in Self.forgotten.append(never) }
    }
    let story = try Self.play(service: endless) { _, phone, transport in
      do { _ = try await phone.open("com.example.echo") } catch { Issue.record("\(error)") }
      transport.cut()
      // The connection has ended, and the service still runs.
      do throws(ExternalAccessoryError) {
        _ = try await phone.open("com.example.echo")
        Issue.record("opened after the end")
      } catch { #expect(error == .sessionEnded) }
    }
    #expect(Story.causes(story.headUnit) == [.transportClosed])
    let stopped = RoleEvent.externalAccessoryServiceStopped(protocol: "com.example.echo", session: 1)
    #expect(story.headUnit.last == stopped)
    Self.forgotten.resumeAll()
  }

  /// Continuations that a test leaves waiting until its end.
  private final class Forgotten: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    func append(_ never: CheckedContinuation<Void, Never>) { waiting.withLock { $0.append(never) } }
    func resumeAll() { for never in waiting.withLock({ $0 }) { never.resume() } }
  }

  private static let forgotten = Forgotten()

  @Test func aCablePulledWhileTheChipSignsIsNotReportedAsAChipFailure() throws {
    struct HangingSigner: Authenticator {
      func certificate() async throws(AuthenticationError) -> [UInt8] {
        try await SoftwareAuthenticator.test.certificate()
      }
      func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
        let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in nothing {}
        continuation.finish()
        throw .coprocessorFailed(reason: "given up")
      }
      func serialNumber() async throws(AuthenticationError) -> [UInt8] { [] }
    }
    let story = try Self.play(authenticator: HangingSigner()) { _, _, transport in transport.cut() }
    #expect(Story.causes(story.headUnit) == [.transportClosed])
    #expect(!story.headUnit.contains { if case .authenticationFailed = $0 { true } else { false } })
  }

  @Test func anUntrustedAccessoryFailsAuthenticationOnBothSides() throws {
    struct WrongSigner: Authenticator {
      func certificate() async throws(AuthenticationError) -> [UInt8] {
        try await SoftwareAuthenticator.test.certificate()
      }
      func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] { [UInt8](repeating: 1, count: 64) }
      func serialNumber() async throws(AuthenticationError) -> [UInt8] { [] }
    }
    let story = try Self.play(authenticator: WrongSigner()) { _, _, _ in }
    #expect(Story.causes(story.phone) == [.authenticationFailed])
    #expect(Story.causes(story.headUnit) == [.authenticationFailed])
    #expect(!story.phone.contains { $0.identification != nil })
    let trusting = try Self.play(authenticator: WrongSigner(), verifier: .any) { _, phone, _ in await phone.disconnect()
    }
    #expect(trusting.phone.contains { $0.identification != nil })
  }

  @Test func aRejectedIdentificationIsTriedAgainWithoutTheOptionalParameter() throws {
    var profile = HeadUnitProfile.standard(protocols: ["com.example.echo"])
    let first = profile.identification.supportedExternalAccessoryProtocol[0]
    profile.identification.supportedExternalAccessoryProtocol.append(first)
    let story = try Self.play(profile: profile) { _, phone, _ in await phone.disconnect() }
    #expect(story.headUnit.contains(.identificationRejected(parameters: [10])))
    #expect(story.headUnit.contains { $0.identification != nil })
    #expect(Story.causes(story.headUnit) == [.linkReset])
  }

  @Test func messagesThatDependOnARejectedParameterAreDropped() throws {
    var profile = HeadUnitProfile.standard(protocols: ["com.example.echo"])
    profile.identification.supportedExternalAccessoryProtocol[0].externalAccessoryProtocolName = ""
    #expect(profile.identification.messagesSentByAccessory.elements.contains(0xEA03))
    #expect(profile.identification.messagesReceivedFromDevice.elements.contains(0xEA00))
    let story = try Self.play(profile: profile) { _, phone, _ in await phone.disconnect() }
    #expect(story.phone.contains(.identificationRejected(parameters: [10])))
    // The retry has neither the protocol nor its messages, which are not allowed without it.
    #expect(story.headUnit.contains { $0.identification != nil })
  }

  @Test func anOpeningAboveTheSessionLimitIsAnsweredOnce() throws {
    let story = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let phone = Phone(options: options)
      options.limits.externalAccessorySessions = 1
      let headUnit = HeadUnit(profile: .standard(protocols: ["com.example.echo"]), options: options)
      await headUnit.serve("com.example.echo") { stream in while await stream.read() != nil {} }
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: transports.accessory)
          headUnit.finish()
        }
        group.addTask { _ = await phone.run(on: transports.device) }
        group.addTask {
          do {
            try await time.sleep(until: MonotonicTime(nanoseconds: 1_000_000_000))
            _ = try await phone.open("com.example.echo")
            await #expect(throws: ExternalAccessoryError.refused("com.example.echo")) {
              _ = try await phone.open("com.example.echo")
            }
          } catch { Issue.record("\(error)") }
          await phone.disconnect()
        }
        var reported: [RoleEvent] = []
        for await event in headUnit.events { reported.append(event.event) }
        return reported
      }
    }
    let answers = story.compactMap { event -> UInt8? in
      if case .message(.sent, 0xEA03, let bytes) = event { bytes.last } else { nil }
    }
    // The first session is opened and the second is not. At the end the phone closes the first one.
    #expect(answers == [0, 1])
    #expect(story.contains(.violation(.limit(StaticName("externalAccessorySessions"), 1))))
  }

  @Test func anUnansweredOpeningTimesOut() throws {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let phone = Phone(options: options)
      // The transport carries nothing from the moment at which the session is being opened.
      let silence = MonotonicTime(nanoseconds: 2_000_000_000)
      let headUnit = HeadUnit(profile: .standard(protocols: ["com.example.echo"]), options: options)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: Muted(inner: transports.accessory, clock: time, from: silence)) }
        group.addTask { _ = await phone.run(on: Muted(inner: transports.device, clock: time, from: silence)) }
        do { try await time.sleep(until: silence) } catch { return }
        await #expect(throws: ExternalAccessoryError.refused("com.example.echo")) {
          _ = try await phone.open("com.example.echo")
        }
        #expect(time.now.seconds >= 12 && time.now.seconds < 13)
        transports.accessory.cut()
      }
    }
  }

  @Test func aRejectedListEndsTheConnection() throws {
    var profile = HeadUnitProfile.standard()
    profile.identification.messagesSentByAccessory.elements.append(0xAA01)
    let story = try Self.play(profile: profile) { _, _, _ in }
    #expect(story.phone.contains(.identificationRejected(parameters: [6])))
    #expect(Story.causes(story.phone) == [.identificationRejected])
    #expect(Story.causes(story.headUnit) == [.identificationRejected])
  }

  @Test func aPhoneThatReceivesNothingTimesOut() throws {
    let causes = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      options.identifyTimeout = .seconds(7)
      let phone = Phone(options: options)
      let result = await phone.run(on: transports.device)
      #expect(time.now.seconds >= 7)
      return result.cause
    }
    #expect(causes == .timeout)
  }

  @Test func aHeadUnitWithoutAnAnswerGivesUpDetection() throws {
    let cause = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(), options: options)
      return await headUnit.run(on: transports.accessory).cause
    }
    #expect(cause == .timeout)
  }

  /// A transport that silently carries nothing from a given time on.
  struct Muted: ByteTransport {
    let inner: MemoryTransport
    let clock: VirtualTime
    let from: MonotonicTime
    var address: String { inner.address }

    func receive() async throws(TransportError) -> [UInt8]? {
      while let bytes = try await inner.receive() { if clock.now < from { return bytes } }
      return nil
    }

    func send(_ bytes: [UInt8]) async throws(TransportError) {
      if clock.now < from { try await inner.send(bytes) }
    }

    func close() async { await inner.close() }
  }

  @Test func aSilentTransportEndsInTheRetransmissionLimitOfTheSender() throws {
    let story = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let silence = MonotonicTime(nanoseconds: 2_000_000_000)
      let headUnit = HeadUnit(profile: .standard(protocols: ["com.example.echo"]), options: options)
      await headUnit.serve("com.example.echo") { stream in while await stream.read() != nil {} }
      let phone = Phone(options: options)
      let result = await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: Muted(inner: transports.accessory, clock: time, from: silence))
        }
        group.addTask {
          do {
            try await time.sleep(until: MonotonicTime(nanoseconds: 1_900_000_000))
            let stream = try await phone.open("com.example.echo")
            try await time.sleep(until: silence)
            try await stream.write([1, 2, 3])
          } catch {}
        }
        let result = await phone.run(on: Muted(inner: transports.device, clock: time, from: silence))
        transports.accessory.cut()
        return result
      }
      // 30 retransmissions with 2 s each, and the wait after the last one.
      #expect(time.now.seconds >= 64 && time.now.seconds < 65)
      return result
    }
    #expect(story == ServeResult(wasIdentified: true, cause: .retransmissionLimit))
  }

  @Test func aResetOnAnOpenTransportIsFollowedByANewConnection() throws {
    // The peer is a script of bytes. It resets the link once and sends nothing after that.
    let causes = try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      options.identifyTimeout = .seconds(3)
      let headUnit = HeadUnit(profile: .standard(), options: options)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = await headUnit.run(on: transports.accessory)
          headUnit.finish()
        }
        group.addTask {
          do {
            // The detect sequence, its echo, the SYN, a reset, the next detect sequence and its echo.
            let echo = try await transports.device.receive() ?? []
            try await transports.device.send(echo)
            _ = try await transports.device.receive()
            try await transports.device.send([0xFF, 0x5A, 0x00, 0x09, 0x10, 0x00, 0x00, 0x00, 0x8E])
            let again = try await transports.device.receive() ?? []
            #expect(again == echo)
            try await transports.device.send(again)
            while try await transports.device.receive() != nil {}
          } catch { Issue.record("\(error)") }
        }
        var reported: [RoleEvent] = []
        for await event in headUnit.events { reported.append(event.event) }
        return reported.compactMap { $0 == .detected ? "detected" : $0.disconnectCause?.rawValue }
      }
    }
    #expect(causes == ["detected", "linkReset", "detected", "timeout"])
  }

  @Test func unreadEventsAreBoundedAndTheirLossIsReported() async throws {
    let events = RoleEvents()
    let bytes = [UInt8](repeating: 0, count: 60_000)
    for _ in 0..<400 { events.emit(TimedEvent(time: .zero, event: .message(.received, id: 1, bytes: bytes))) }
    events.finish(at: .zero)
    var kept = 0
    var last: RoleEvent?
    for await event in events {
      kept += 1
      last = event.event
    }
    // 16 MiB in events of 60 000 bytes, and the event about the loss of the rest.
    #expect(kept == (16 << 20) / 60_000 + 1)
    #expect(last == .eventsLost(count: 400 - (16 << 20) / 60_000))
  }

  @Test func echoedBytesEqualTheSentBytes() throws {
    let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let received = try Loopback.run("com.example.echo") { session in
      while let bytes = await session.read() {
        do { try await session.write(bytes) } catch { return }
      }
    } app: { session in
      async let writing: Void = session.write(sent)
      var received: [UInt8] = []
      while received.count < sent.count, let bytes = await session.read() { received += bytes }
      try await writing
      return received
    }
    #expect(received == sent)
  }

  /// The bytes do not fit into the window, and the session is closed right after them.
  @Test func writtenBytesArriveBeforeTheSessionEnds() throws {
    let story = try Self.play { _, phone, _ in
      do {
        let stream = try await phone.open("com.example.echo")
        try await stream.write([UInt8](repeating: 7, count: 300_000))
        await stream.close()
        await #expect(throws: ExternalAccessoryError.sessionEnded) { try await stream.write([8]) }
      } catch { Issue.record("\(error)") }
      await phone.disconnect()
    }
    #expect(Self.closed(story.headUnit).map(\.received) == [300_000])
    #expect(Self.closed(story.phone).map(\.sent) == [300_000])
  }

  /// The bytes that a side has written and received in each session.
  static func closed(_ events: [RoleEvent]) -> [(sent: Int, received: Int)] {
    events.compactMap { event in
      if case .externalAccessoryClosed(_, _, let sent, let received) = event { (sent, received) } else { nil }
    }
  }

  /// A peer that does not acknowledge delays the end of a session until the limit, and no longer.
  @Test func aSessionEndsIfItsPeerStopsReading() throws {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let silence = MonotonicTime(nanoseconds: 2_000_000_000)
      let headUnit = HeadUnit(profile: .standard(protocols: ["com.example.echo"]), options: options)
      let phone = Phone(options: options)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: Muted(inner: transports.accessory, clock: time, from: silence)) }
        group.addTask { _ = await phone.run(on: Muted(inner: transports.device, clock: time, from: silence)) }
        do {
          try await time.sleep(until: MonotonicTime(nanoseconds: 1_900_000_000))
          let stream = try await phone.open("com.example.echo")
          try await time.sleep(until: silence)
          // The queue takes all bytes, and the window a part of them.
          try await stream.write([UInt8](repeating: 7, count: 200_000))
          await stream.close()
          #expect(!stream.isOpen && time.now.seconds >= 7 && time.now.seconds < 7.5)
        } catch { Issue.record("\(error)") }
        transports.accessory.cut()
      }
    }
  }
}

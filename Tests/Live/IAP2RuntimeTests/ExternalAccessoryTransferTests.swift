// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

/// Tests of the end of a transfer, in virtual time.
@Suite struct ExternalAccessoryTransferTests {
  static let name = "com.example.thermo"

  struct Outcome: Sendable {
    var report: ExternalAccessoryTransfer.Report
    var received: [UInt8]
    /// The duration of the transfer in milliseconds of virtual time.
    var milliseconds: Int64
  }

  /// Runs a transfer on a session with a service of the accessory.
  static func transfer(
    _ input: String, expectsEcho: Bool = false, linger: Int? = ExternalAccessoryTransfer.standardLinger,
    service: @escaping @Sendable (ExternalAccessoryStream, VirtualTime) async -> Void
  ) throws -> Outcome {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(protocols: [name]), options: options)
      await headUnit.serve(name) { await service($0, time) }
      let phone = Phone(options: options)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: transports.accessory) }
        group.addTask { _ = await phone.run(on: transports.device) }
        for await event in phone.events where event.event == .connected { break }
        let stream = try await phone.open(name)
        let start = time.now
        let rest = Mutex([Array(input.utf8)])
        let rules = ExternalAccessoryTransfer(
          expectsEcho: expectsEcho, lingerMilliseconds: linger, closesSession: true, clock: time)
        var received: [UInt8] = []
        let report = try await rules.run(
          on: stream, input: { rest.withLock { $0.popLast() } }, output: { received += $0 })
        let elapsed = (time.now.nanoseconds - start.nanoseconds) / 1_000_000
        await phone.disconnect()
        return Outcome(report: report, received: received, milliseconds: elapsed)
      }
    }
  }

  /// Answers the first bytes with a text, one piece each second.
  static func answer(_ pieces: [String]) -> @Sendable (ExternalAccessoryStream, VirtualTime) async -> Void {
    { stream, time in
      _ = await stream.read()
      do {
        for piece in pieces {
          try await time.sleep(until: time.now.adding(milliseconds: 1000))
          try await stream.write(Array(piece.utf8))
        }
      } catch {}
      while await stream.read() != nil {}
    }
  }

  @Test func anAnswerThatIsLongerThanTheRequestArrivesWhole() throws {
    let outcome = try Self.transfer("?", service: Self.answer(["a long ", "answer in ", "several parts"]))
    #expect(String(decoding: outcome.received, as: UTF8.self) == "a long answer in several parts")
    #expect(outcome.report.isSent && outcome.report.isOver && outcome.report.difference == nil)
    // The transfer ends two seconds after the last piece.
    #expect((5000...5100).contains(outcome.milliseconds), "\(outcome.milliseconds)")
  }

  @Test func anAnswerThatIsShorterThanTheRequestEndsAfterTheSilence() throws {
    let outcome = try Self.transfer("tell me everything", linger: 500, service: Self.answer(["no"]))
    // The first piece comes after a second, later than the silence.
    #expect(outcome.received.isEmpty && outcome.report.isOver)
    let patient = try Self.transfer("tell me everything", linger: 3000, service: Self.answer(["no"]))
    #expect(String(decoding: patient.received, as: UTF8.self) == "no" && patient.report.isOver)
  }

  @Test func theEndOfTheSessionByTheAccessoryEndsTheTransfer() throws {
    let outcome = try Self.transfer("?") { stream, _ in
      _ = await stream.read()
      do { try await stream.write(Array("bye".utf8)) } catch {}
    }
    #expect(String(decoding: outcome.received, as: UTF8.self) == "bye")
    #expect(outcome.report.isSent && !outcome.report.isOver)
    #expect(outcome.milliseconds < 1000)
  }

  @Test func anEchoEndsTheTransferWhenItIsCompleteHoweverLate() throws {
    let outcome = try Self.transfer("hello", expectsEcho: true, linger: nil) { stream, time in
      while let bytes = await stream.read() {
        do {
          try await time.sleep(until: time.now.adding(milliseconds: 30_000))
          try await stream.write(bytes)
        } catch { return }
      }
    }
    #expect(outcome.report.isOver && outcome.report.difference == nil && outcome.report.receivedByteCount == 5)
  }

  @Test func aChangedByteOfAnEchoIsNamedWithItsPlace() throws {
    let outcome = try Self.transfer("hello", expectsEcho: true, linger: nil) { stream, _ in
      while let bytes = await stream.read() {
        do { try await stream.write(bytes.map { $0 == 0x6C ? 0x4C : $0 }) } catch { return }
      }
    }
    #expect(outcome.report.isOver)
    #expect(outcome.report.difference == EchoDifference(offset: 2, sent: 0x6C, received: 0x4C))
  }

  @Test func anEchoThatLacksAByteDoesNotHangTheTransfer() throws {
    let outcome = try Self.transfer("hello", expectsEcho: true, linger: nil) { stream, _ in
      while let bytes = await stream.read() {
        do { try await stream.write(bytes.filter { $0 != 0x65 }) } catch { return }
      }
    }
    #expect(outcome.report.isOver && outcome.report.receivedByteCount == 4)
    #expect(outcome.report.difference == EchoDifference(offset: 1, sent: 0x65, received: 0x6C))
  }

  /// A silence shorter than the time that the link needs for the input must not cut the input off.
  @Test func bytesThatAreNotAcknowledgedAreNoSilence() throws {
    let input = String(repeating: "0123456789", count: 30_000)
    let outcome = try Self.transfer(input, linger: 0) { stream, _ in while await stream.read() != nil {} }
    #expect(outcome.report.isSent && outcome.report.isOver && outcome.report.sentByteCount == 300_000)
  }

  @Test func anEchoIsComparedWhateverItsPiecesAre() {
    var echo = EchoComparison()
    for piece in ["ab", "", "cdef", "g"] { echo.send(Array(piece.utf8)) }
    for piece in ["a", "bcd", "efg"] { echo.receive(Array(piece.utf8)) }
    #expect(echo.difference == nil && echo.waitingByteCount == 0)
    echo.receive([7])
    #expect(echo.difference == EchoDifference(offset: 7, sent: nil, received: 7))
  }
}

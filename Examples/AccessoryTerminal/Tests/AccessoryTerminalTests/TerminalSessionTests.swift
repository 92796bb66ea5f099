import ExternalAccessory
import ExternalAccessoryTesting
import Testing

@testable import accessory_terminal

private let name = "com.example.echo"

/// What a terminal has printed, and how it ended.
@MainActor private final class Screen {
  var bytes: [UInt8] = []
  var end: TerminalSession.End?
}

@MainActor @Suite(.serialized, .timeLimit(.minutes(1))) struct TerminalSessionTests {
  private let screen = Screen()

  private func attach() async throws -> AttachedAccessory {
    await AccessoryBench.reset()
    AccessoryBench.declare(protocols: [name])
    return try await AccessoryBench.attach(
      name: "Echo", protocols: [name],
      services: [
        name: { session in
          while let bytes = await session.read() { do { try await session.write(bytes) } catch { return } }
        }
      ])
  }

  private func open(_ attached: AttachedAccessory) throws -> TerminalSession {
    let accessory = try #require(attached.eaAccessory)
    let session = try #require(EASession(accessory: accessory, forProtocol: name))
    let terminal = TerminalSession(session) { [screen] bytes in
      MainActor.assumeIsolated { screen.bytes += bytes }
    } onEnd: { [screen] end in
      MainActor.assumeIsolated { screen.end = end }
    }
    terminal.open()
    return terminal
  }

  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func theAnswersArePrintedUntilTheAccessoryIsQuiet() async throws {
    let terminal = try open(try await attach())
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    terminal.send(bytes)
    // A busy machine may be quiet for a second before the last answer.
    try await until { screen.bytes.count == bytes.count }
    #expect(screen.end == nil)
    terminal.endInput()
    try await until { screen.end != nil }
    #expect(screen.end == .quiet && screen.bytes == bytes)
  }

  @Test func aPulledCableEndsTheTerminal() async throws {
    let attached = try await attach()
    let terminal = try open(attached)
    terminal.send([1])
    await attached.unplug()
    try await until { screen.end != nil }
    #expect(screen.end == .accessory)
  }
}

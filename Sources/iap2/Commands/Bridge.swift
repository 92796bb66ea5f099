// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Runtime
import Synchronization

struct Bridge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Use an accessory's protocol from any program: as the phone, join it to a socket, a pipe or a pty.",
    discussion: """
      Waits until the accessory is identified, then opens an EA session of the protocol for each client of the socket, one \
      after another, or one for standard input and output, or one for a pty. What happens is told on standard error.

      Examples:
        iap2 bridge --transport tcp:127.0.0.1:7000 --protocol com.example.echo --tcp-listen 127.0.0.1:7001
        iap2 bridge --transport serial:/dev/ttyUSB0 --protocol com.example.echo --stdio < request > answer
        iap2 bridge --transport tcp:127.0.0.1:7000 --protocol com.example.echo --pty
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup var judging: PhoneOptions

  @Option(name: .customLong("protocol"), help: "The accessory's EA protocol.")
  var protocolName: String

  @Option(help: ArgumentHelp("Listen for clients here.", valueName: "host:port"))
  var tcpListen: String?

  @Flag(help: "Join standard input and output.")
  var stdio = false

  @Option(help: "With --stdio: seconds of silence from the accessory, after the input's end, that end the session.")
  var linger = 2.0

  @Flag(help: "Create a pty, print its path and join it.")
  var pty = false

  enum End: Sendable {
    case clients(any TransportSource)
    /// Standard input and output, and how long an accessory may be silent when the input is over.
    case standard(linger: Duration)
  }

  func validate() throws {
    guard linger >= 0, linger < 1e6 else { throw ValidationError("--linger takes seconds from 0 on") }
    guard [tcpListen != nil, stdio, pty].count(where: { $0 }) == 1 else {
      throw ValidationError("one of --tcp-listen, --stdio and --pty is needed")
    }
    _ = try address()
  }

  private func address() throws -> TransportAddress? {
    if pty { return .pty }
    do { return try tcpListen.map { try TransportAddress(parsing: "tcp-listen:\($0)") } } catch let problem
      as TransportAddress.Problem
    { throw ValidationError(LiveOptions.text(problem)) }
  }

  func run() async throws {
    let clock = WallClock()
    var profile = PhoneProfile()
    if let order = judging.order { profile.order = order }
    if let name = live.name { profile.state.name = name }
    let phone = Phone(
      profile: profile, verifier: try judging.verifier(), options: try live.options(clock: clock, conduct: nil))
    var end = End.standard(linger: .milliseconds(Int(linger * 1000)))
    if let address = try address() {
      do { end = .clients(try await address.open()) } catch { throw LiveSession.failure(error) }
    }
    if case .clients(let source) = end { Output.note("bridge at \(source.address)") }
    let span = BridgeSpan(phone: phone, protocolName: protocolName, end: end, endsConnection: live.once)
    try await LiveSession(
      role: .phone, live: phone, options: live, clock: clock, jsonToStandardError: true,
      onEvent: { span.handle($0) }
    ).serve {
      await span.finish()
      return !live.once || span.hasCarried
    }
  }
}

/// The joining of one end and the accessory's sessions, for as long as the accessory is there.
final class BridgeSpan: Sendable {
  private struct State {
    var isAuthenticated = false
    var isIdentified = false
    var task: Task<Void, Never>?
    var hasCarried = false
  }

  private let state = Mutex(State())
  private let phone: Phone
  private let protocolName: String
  private let end: Bridge.End
  private let endsConnection: Bool

  init(phone: Phone, protocolName: String, end: Bridge.End, endsConnection: Bool) {
    self.phone = phone
    self.protocolName = protocolName
    self.end = end
    self.endsConnection = endsConnection
  }

  var hasCarried: Bool { state.withLock { $0.hasCarried } }

  func handle(_ event: RoleEvent) {
    let (starts, stopped) = state.withLock { state -> (Bool, Task<Void, Never>?) in
      if case .disconnected = event {
        state.isAuthenticated = false
        state.isIdentified = false
        defer { state.task = nil }
        return (false, state.task)
      }
      let wasReady = state.isAuthenticated && state.isIdentified
      if event == .authenticated { state.isAuthenticated = true }
      if event == .identified { state.isIdentified = true }
      return (!wasReady && state.isAuthenticated && state.isIdentified, nil)
    }
    stopped?.cancel()
    guard starts else { return }
    let task = Task { await run() }
    state.withLock { $0.task = task }
  }

  func finish() async {
    state.withLock { $0.task }?.cancel()
    if case .clients(let source) = end { await source.close() }
  }

  private func run() async {
    switch end {
    case .standard(let linger):
      if let stream = await open() { await StandardStreams.join(stream, linger: linger) }
    case .clients(let source):
      do {
        while !Task.isCancelled, let client = try await source.next() {
          guard let stream = await open() else {
            await client.close()
            break
          }
          await stream.join(client)
          if endsConnection { break }
        }
      } catch { Output.note(LiveSession.failure(error).text) }
    }
    // With nobody left to talk to, the connection may go.
    if endsConnection, !Task.isCancelled { await phone.disconnect() }
  }

  private func open() async -> ExternalAccessoryStream? {
    do {
      let stream = try await phone.open(protocolName)
      state.withLock { $0.hasCarried = true }
      return stream
    } catch {
      Output.note("\(protocolName): \(Transfer.text(error))")
      return nil
    }
  }
}

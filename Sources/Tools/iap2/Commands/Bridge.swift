// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Sockets
import IAP2Transport
import IAP2Transports
import Synchronization

struct Bridge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "As the phone, connect an accessory's EA protocol to a socket, a pipe or a pty, for use by any program.",
    discussion: """
      Waits until the accessory is identified. With --tcp-listen, it then opens an EA session of the protocol for each \
      client of the socket, one after another. With --stdio or --pty it opens one session and exits when that session \
      ends. A client that has ended its input still receives the accessory's answers. Events are reported on standard \
      error. Exit code 69 if the accessory does not have the protocol, 1 if the command ended before the one client of \
      --once, --stdio or --pty was connected.

      Examples:
        iap2 bridge --transport tcp:127.0.0.1:7000 --protocol com.example.echo --tcp-listen 127.0.0.1:7001
        iap2 bridge --transport serial:/dev/ttyUSB0 --protocol com.example.echo --stdio < request > answer
        iap2 bridge --transport usb:0329:2022 --protocol com.example.echo --pty
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup var judging: PhoneOptions

  @Option(name: .customLong("protocol"), help: "The accessory's EA protocol.")
  var protocolName: String

  @Option(help: ArgumentHelp("Listen for clients at this address.", valueName: "host:port"))
  var tcpListen: String?

  @Flag(help: "Connect standard input and output.")
  var stdio = false

  @Option(
    help: "After the end of the client's input: seconds without data from the accessory that end the session.")
  var linger = 2.0

  @Flag(help: "Create a pty, print its path and connect it.")
  var pty = false

  func validate() throws {
    try live.check(.device)
    guard linger >= 0, linger < 1e6 else { throw ValidationError("--linger takes seconds, 0 or more") }
    guard [tcpListen != nil, stdio, pty].count(where: { $0 }) == 1 else {
      throw ValidationError("one of --tcp-listen, --stdio and --pty is needed")
    }
    _ = try address()
  }

  private func address() throws -> TransportAddress? {
    if pty { return .pty }
    do { return try tcpListen.map { try TransportAddress(parsing: "tcp-listen:\($0)") } } catch let problem
      as TransportAddress.Problem
    { throw ValidationError(AnyTransportAddress.Problem(problem).description) }
  }

  func run() async throws {
    let clock = WallClock()
    var profile = PhoneProfile()
    if let order = judging.order { profile.order = order }
    if let name = live.name { profile.state.name = name }
    let life = try live.life.live()
    let phone = Phone(
      profile: profile, verifier: try judging.verifier(),
      options: try live.options(clock: clock, behavior: nil, life: life))
    var clients: any TransportSource = StandardSource()
    if let address = try address() {
      do { clients = try await address.open() } catch { throw CommandFailure(error) }
      Output.note("bridge at \(clients.address)")
    }
    let span = BridgeSpan(
      phone: phone, protocolName: protocolName, clients: clients, linger: .milliseconds(Int(linger * 1000)),
      isForOne: live.once || tcpListen == nil)
    let session = LiveSession(
      role: .phone, live: phone, options: live, clock: clock, life: life, jsonToStandardError: true,
      end: span.end, onEvent: { span.handle($0) })
    do { try await session.serve { await span.finish() } } catch let code as ExitCode {
      if let failure = span.failure { throw failure }
      throw code
    }
  }
}

/// A transport source that yields standard input and output once.
actor StandardSource: TransportSource {
  nonisolated let address = StandardTransport().address
  private var isTaken = false

  func next() -> (any ByteTransport)? {
    defer { isTaken = true }
    return isTaken ? nil : StandardTransport()
  }

  func close() { isTaken = true }
}

/// Connects each client to a session of the accessory, as long as the accessory has the protocol.
///
/// One task accepts clients during the whole run, across connections of accessories. An accepted client is served, or
/// closed when the run ends.
final class BridgeSpan: Sendable {
  private struct State {
    var isAuthenticated = false
    var isIdentified = false
    /// The EA protocols of the accessory's last identification.
    var protocols: [String] = []
    /// The number of connections that became ready.
    var turn = 0
    var isEnding = false
    var hasCarried = false
    var failure: CommandFailure?
    /// The client that is served or waits for an accessory.
    var client: (any ByteTransport)?
    var task: Task<Void, Never>?

    var isReady: Bool { isAuthenticated && isIdentified }
  }

  private let state = Mutex(State())
  private let changed = Signal()
  let end = LiveEnd()
  private let phone: Phone
  private let protocolName: String
  private let clients: any TransportSource
  private let linger: Duration
  private let isForOne: Bool

  /// - Parameter isForOne: whether the run ends after one client.
  init(
    phone: Phone, protocolName: String, clients: any TransportSource, linger: Duration, isForOne: Bool
  ) {
    self.phone = phone
    self.protocolName = protocolName
    self.clients = clients
    self.linger = linger
    self.isForOne = isForOne
    state.withLock { $0.task = Task { await run() } }
  }

  var failure: CommandFailure? { state.withLock { $0.failure } }

  func handle(_ event: RoleEvent) {
    state.withLock { state in
      let wasReady = state.isReady
      switch event {
      case .disconnected: (state.isAuthenticated, state.isIdentified) = (false, false)
      case .authenticated: state.isAuthenticated = true
      case .identified: state.isIdentified = true
      case .message(.received, IdentificationInformation.id, let bytes):
        // An identification that cannot be read is rejected, and another follows.
        do {
          state.protocols = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
            .supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
        } catch {}
      default: return
      }
      guard !wasReady, state.isReady else { return }
      state.turn += 1
      if !state.protocols.contains(protocolName) { state.failure = unsupported(state.protocols) }
    }
    changed.notify()
    if failure != nil { end.reach() }
  }

  private func unsupported(_ protocols: [String]) -> CommandFailure {
    CommandFailure(.unavailable, "\(protocolName): \(TransferWords.unsupported(protocols))")
  }

  /// The time limit for delivering the remaining bytes to a client at the end of the run, in case the client stopped
  /// reading.
  private static let timeout = Duration.seconds(60)

  /// Ends the remaining client and the listener in order.
  ///
  /// - Returns: whether the run succeeded.
  func finish() async -> Bool {
    let task = state.withLock { state in
      state.isEnding = true
      return state.task
    }
    changed.notify()
    await clients.close()
    let giveUp = Task {
      do { try await Task.sleep(for: Self.timeout) } catch { return }
      await state.withLock { $0.client }?.close()
    }
    await task?.value
    giveUp.cancel()
    return state.withLock { $0.failure == nil && ($0.hasCarried || !isForOne) }
  }

  private func run() async {
    do {
      while let client = try await clients.next() {
        await serve(client)
        if isForOne { break }
      }
      end.reach()
      // Close a client that was accepted during shutdown so that it does not wait.
      await clients.close()
      while let client = try await clients.next() { await client.close() }
    } catch {
      fail(CommandFailure(error))
      end.reach()
    }
  }

  private func fail(_ failure: CommandFailure) { state.withLock { $0.failure = $0.failure ?? failure } }

  private func serve(_ client: any ByteTransport) async {
    state.withLock { $0.client = client }
    var turn = 0
    while let next = await ready(after: turn) {
      turn = next
      let stream: ExternalAccessoryStream
      do { stream = try await phone.open(protocolName) } catch {
        // The session's advice has named the reason.
        if case .refused = error { break }
        // The connection closed meanwhile, so wait for the next one.
        continue
      }
      state.withLock { $0.hasCarried = true }
      await join(stream, client)
      return
    }
    await client.close()
  }

  private func join(_ stream: ExternalAccessoryStream, _ client: any ByteTransport) async {
    switch await stream.join(client, linger: linger) {
    case nil, .closed: break
    case .some(let problem) where client is StandardTransport:
      fail(CommandFailure(.failed, CommandFailure(problem).text))
    case .some(let problem): Output.note("\(client.address): \(CommandFailure(problem).text)")
    }
  }

  /// Waits until an accessory with the protocol is ready on a connection after `turn`.
  ///
  /// - Returns: the number of the connection; nil when no further one will come.
  private func ready(after turn: Int) async -> Int? {
    while true {
      let (next, isReady, isOver) = state.withLock { ($0.turn, $0.isReady, $0.isEnding || $0.failure != nil) }
      if isOver { return nil }
      if isReady, next > turn { return next }
      await changed.wait()
    }
  }
}

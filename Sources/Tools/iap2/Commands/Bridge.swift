// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import IAP2
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Sockets
import IAP2Transport
import IAP2Transports

struct Bridge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "As the phone, connect an accessory's EA protocol to a socket, a pipe or a pty, for use by any program.",
    discussion: """
      Waits until the accessory is identified. With --tcp-listen, it then opens an EA session of the protocol for each \
      client of the socket, one after another. With --stdio or --pty it opens one session and exits when that session \
      ends. A client that has ended its input still receives the accessory's answers. Events are reported on standard \
      error. Exit code 69 if the accessory does not have the protocol, 1 if the command ended before the one client of \
      --once, --stdio or --pty was connected, or if the accessory sent it nothing; with --linger 0 no answer is \
      expected.

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

  @Flag(help: "Connect standard input and output.") var stdio = false

  @Option(
    help: "After the end of the client's input: seconds without data from the accessory that end the session.")
  var linger = 2.0

  @Flag(help: "Create a pty, print its path and connect it.") var pty = false

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
    let end = LiveEnd()
    let note: @Sendable (String, TransportError) -> Void = { address, error in
      Output.note("\(address): \(CommandFailure(error).text)")
    }
    let bridge = ExternalAccessoryBridge(
      phone: phone, protocolName: protocolName, clients: clients, linger: .milliseconds(Int(linger * 1000)),
      isForOne: live.once || tcpListen == nil,
      undelivered: stdio ? nil : note, ended: { end.reach() })
    let session = LiveSession(
      role: .phone, live: phone, options: live, clock: clock, life: life, capture: try live.openCapture(),
      jsonToStandardError: true, end: end, onEvent: { bridge.handle($0) })
    do { try await session.serve { await bridge.finish() } } catch let code as ExitCode {
      if let problem = bridge.problem { throw failure(problem) }
      throw code
    }
  }

  private func failure(_ problem: ExternalAccessoryBridge.Problem) -> CommandFailure {
    switch problem {
    case .noProtocol(let others):
      CommandFailure(.unavailable, "\(protocolName): \(TransferWords.unsupported(others))")
    case .clients(let error): CommandFailure(error)
    case .undelivered(let error): CommandFailure(.failed, CommandFailure(error).text)
    case .unanswered(let count, let isOfSilence):
      CommandFailure(
        .failed,
        "\(protocolName): "
          + (isOfSilence
            ? TransferWords.unanswered(count, milliseconds: Int(linger * 1000)) : TransferWords.endedUnanswered(count)))
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

// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import IAP2
import IAP2Coprocessor
import IAP2Runtime
import IAP2Sockets
import IAP2Transport
import IAP2Transports

struct CoprocessorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coprocessor", abstract: "Test an authentication coprocessor, or share one over the network.",
    discussion: """
      A real phone accepts only an accessory that signs with such a chip. With the same --authenticator, iap2 headunit \
      and iap2 replay sign with it.

      Examples:
        iap2 coprocessor --authenticator i2c:/dev/i2c-1
        iap2 coprocessor --authenticator i2c:/dev/i2c-1@0x11 --json
        iap2 coprocessor serve --authenticator i2c:/dev/i2c-1 --listen 127.0.0.1:7020
        iap2 coprocessor --authenticator tcp:127.0.0.1:7020
        iap2 headunit --transport usb-gadget --authenticator tcp:127.0.0.1:7020
      """,
    subcommands: [CoprocessorTest.self, CoprocessorServe.self], defaultSubcommand: CoprocessorTest.self)
}

/// The option that selects the coprocessor.
struct CoprocessorChoice: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The coprocessor's address: \(CoprocessorAddress.forms) (default: this machine's only I2C adapter). The emulated one is a test device.",
      valueName: "coprocessor"))
  var authenticator: String?

  func validate() throws { _ = try authenticator.map { try AuthenticatorOptions.coprocessor($0) } }

  /// Returns the address. Probing every adapter would write to other chips, so an adapter is chosen by default only if
  /// it is the only one.
  func address() throws -> CoprocessorAddress {
    if let authenticator { return try AuthenticatorOptions.coprocessor(authenticator) }
    let adapters: [String]
    do { adapters = try FileManager.default.contentsOfDirectory(atPath: "/dev").filter { $0.hasPrefix("i2c-") } } catch
    {
      adapters = []
    }
    guard let adapter = adapters.first else {
      throw CommandFailure(
        .unavailable,
        "this machine has no I2C adapter (/dev/i2c-N); try modprobe i2c-dev, or name a coprocessor with --authenticator"
      )
    }
    guard adapters.count == 1 else {
      let names = adapters.sorted().map { "i2c:/dev/\($0)" }.joined(separator: ", ")
      throw CommandFailure(.usage, "this machine has several I2C adapters; name one with --authenticator: \(names)")
    }
    return .i2c(I2CAddress(path: "/dev/\(adapter)"))
  }
}

struct CoprocessorTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Read everything from the chip, and verify a signature (default).",
    discussion: """
      Exit code 1 if the chip has a fault, 69 if there is no chip or it does not answer, 77 without permission.
      Signatures of RSA-1024 chips (2.0C) are made, but not verified.

      Examples:
        iap2 coprocessor test --authenticator i2c:/dev/i2c-1
        iap2 coprocessor test --authenticator emulated:2.0C --json
      """)

  @OptionGroup var choice: CoprocessorChoice

  @Flag(help: "One JSON object.")
  var json = false

  @OptionGroup var colors: ColorOptions

  func run() async throws {
    let clock = WallClock()
    let address = try choice.address()
    let chip = try await CoprocessorFailure.open(address, clock: clock)
    let check: CoprocessorCheck
    do { check = try await CoprocessorCheck.run(chip, clock: clock) } catch {
      await chip.close()
      throw CoprocessorFailure.of(error, address)
    }
    await chip.close()
    if json { try Output.json(check) } else { for line in check.lines { Output.line(line) } }
    if !check.ok {
      throw CommandFailure(
        .failed,
        "\(address): the self test failed; check power, wiring and the adapter (iap2 coprocessor --help), then the chip"
      )
    }
  }
}

struct CoprocessorServe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Share a chip over the network, for use as --authenticator tcp:HOST:PORT.",
    discussion: """
      There is no password and no encryption: every client that reaches the address can use the chip to sign. Clients \
      take turns. Ctrl-C ends the command.

      Examples:
        iap2 coprocessor serve --authenticator i2c:/dev/i2c-1
        iap2 coprocessor serve --authenticator emulated --listen 127.0.0.1:0
      """)

  @OptionGroup var choice: CoprocessorChoice

  @Option(help: ArgumentHelp("Listen at this address; port 0 chooses a free port.", valueName: "host:port"))
  var listen = "127.0.0.1:7020"

  func validate() throws { _ = try listening() }

  private func listening() throws -> TransportAddress {
    do { return try TransportAddress(parsing: "tcp-listen:\(listen)") } catch {
      throw ValidationError("--listen: \(AnyTransportAddress.Problem(error))")
    }
  }

  private static func isLoopback(_ address: TransportAddress) -> Bool {
    guard case .tcpListen(let host, _) = address else { return false }
    return TransportAddress.isLoopback(host)
  }

  func run() async throws {
    let clock = WallClock()
    let address = try choice.address()
    let chip = try await CoprocessorFailure.open(address, clock: clock)
    let source: any TransportSource
    let version: String
    do {
      version = try await chip.information().version?.name ?? "of an unknown version"
      source = try await listening().open()
    } catch {
      await chip.close()
      if let error = error as? CoprocessorError { throw CoprocessorFailure.of(error, address) }
      if let error = error as? TransportError { throw CommandFailure(error) }
      throw error
    }
    let server = CoprocessorServer(chip, clock: clock) { Output.line(Self.text($0)) }
    let stop = StopSignal {
      await server.end()
      await source.close()
    }
    defer { withExtendedLifetime(stop) {} }
    // A reader of these lines may stop the command.
    if !Self.isLoopback(try listening()) {
      Output.note("warning: every client that reaches \(listen) can sign with this chip; there is no password")
    }
    Output.note("\(chip.address), \(version), serving at \(source.address)")
    do { try await server.serve(source) } catch { throw CommandFailure(error) }
    await chip.close()
  }

  private static func text(_ event: CoprocessorServer.Event) -> String {
    switch event {
    case .connected(let client): "\(client) connected"
    case .answered(let client, let kind): "\(client) \(kind)"
    case .failed(let client, let kind, let error): "\(client) \(kind) failed: \(error)"
    case .invalidRequest(let client, let problem): "\(client) sent an invalid request: \(problem)"
    case .rejected(let client): "\(client) rejected: \(CoprocessorServer.maximumClients) clients are connected"
    case .idle(let client): "\(client) disconnected: no request for \(CoprocessorServer.idleSeconds) s"
    case .disconnected(let client): "\(client) disconnected"
    }
  }
}

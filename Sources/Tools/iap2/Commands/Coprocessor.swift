// swift-iap2 · Apache-2.0

import ArgumentParser
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
      A real phone takes only an accessory that signs with such a chip. The same --authenticator makes a head unit sign \
      with it (iap2 headunit, iap2 replay).

      Examples:
        iap2 coprocessor --authenticator i2c:/dev/i2c-1
        iap2 coprocessor --authenticator i2c:/dev/i2c-1@0x11 --json
        iap2 coprocessor serve --authenticator i2c:/dev/i2c-1 --listen 127.0.0.1:7020
        iap2 coprocessor --authenticator tcp:127.0.0.1:7020
        iap2 headunit --transport usb-gadget --authenticator tcp:127.0.0.1:7020
      """,
    subcommands: [CoprocessorTest.self, CoprocessorServe.self], defaultSubcommand: CoprocessorTest.self)
}

/// Which coprocessor is meant.
struct CoprocessorChoice: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the coprocessor is: \(CoprocessorAddress.forms) (default: this machine's only I2C adapter). The emulated one is a test device.",
      valueName: "coprocessor"))
  var authenticator: String?

  func validate() throws { _ = try authenticator.map { try AuthenticatorOptions.coprocessor($0) } }

  /// Looking on every adapter of a machine would write to chips that are none: only a single one is taken unasked.
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
        "no I2C adapter here (/dev/i2c-N); try modprobe i2c-dev, or name a coprocessor with --authenticator")
    }
    guard adapters.count == 1 else {
      let names = adapters.sorted().map { "i2c:/dev/\($0)" }.joined(separator: ", ")
      throw CommandFailure(.usage, "several I2C adapters here; name one with --authenticator: \(names)")
    }
    return .i2c(I2CAddress(path: "/dev/\(adapter)"))
  }
}

struct CoprocessorTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Ask the chip for everything it has, and verify a signature (default).",
    discussion: """
      Exit code 1 if something is wrong with the chip, 69 if there is none or nobody answers, 77 without permission.
      Signatures of RSA-1024 chips (2.0C) are made, but not verified.

      Examples:
        iap2 coprocessor test --authenticator i2c:/dev/i2c-1
        iap2 coprocessor test --authenticator emulated:2.0C --json
      """)

  @OptionGroup var choice: CoprocessorChoice

  @Flag(help: "One JSON object.")
  var json = false

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
    commandName: "serve", abstract: "Share a chip: others use it as --authenticator tcp:HOST:PORT.",
    discussion: """
      Whoever reaches the address can have everything signed: there is no password and no encryption. Clients take \
      turns. Ctrl-C ends it.

      Examples:
        iap2 coprocessor serve --authenticator i2c:/dev/i2c-1
        iap2 coprocessor serve --authenticator emulated --listen 127.0.0.1:0
      """)

  @OptionGroup var choice: CoprocessorChoice

  @Option(help: ArgumentHelp("Listen here; port 0 takes a free one.", valueName: "host:port"))
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
    // Whoever reads these may end it.
    if !Self.isLoopback(try listening()) {
      Output.note("warning: whoever reaches \(listen) can sign with this chip; nothing protects it")
    }
    Output.note("\(chip.address), \(version), serving at \(source.address)")
    do { try await server.serve(source) } catch { throw CommandFailure(error) }
    await chip.close()
  }

  private static func text(_ event: CoprocessorServer.Event) -> String {
    switch event {
    case .came(let client): "\(client) came"
    case .answered(let client, let kind): "\(client) \(kind)"
    case .failed(let client, let kind, let error): "\(client) \(kind) failed: \(error)"
    case .misunderstood(let client, let problem): "\(client) is not understood: \(problem)"
    case .turnedAway(let client): "\(client) turned away: \(CoprocessorServer.maximumClients) clients are served"
    case .idle(let client): "\(client) has asked nothing for \(CoprocessorServer.idleSeconds) s"
    case .left(let client): "\(client) left"
    }
  }
}

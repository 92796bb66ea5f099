// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Authentication
import IAP2Runtime
import IAP2Scenario

struct HeadUnitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "headunit", abstract: "Be a head unit: the accessory's side, live.",
    discussion: """
      Examples:
        iap2 headunit --transport tcp-listen:127.0.0.1:7000 --external-accessory com.example.echo=echo
        iap2 headunit --transport unix:/tmp/iap2.sock --once --json
        iap2 headunit --transport pty
        iap2 headunit --transport usb-gadget
        iap2 headunit --transport usb-phone
        iap2 headunit --transport usb-phone+carplay
        iap2 headunit --transport tcp-listen:127.0.0.1:7000 --profile microphone
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup var play: PlayOptions

  @Option(
    name: .customLong("external-accessory"),
    help: ArgumentHelp(
      "Serve an EA protocol: echo, discard, stdio or tcp:HOST:PORT. Repeatable.", valueName: "protocol=service"))
  var services: [String] = []

  @Option(help: "The accessory's certificate, PKCS#7 or X.509, PEM or DER (default: the project's test accessory).")
  var certificate: String?

  @Option(help: "Its P-256 private key, PEM.")
  var key: String?

  enum Service: Sendable {
    case echo, discard, stdio
    case tcp(host: String, port: Int)
  }

  func validate() throws {
    try live.address().check(.accessory)
    _ = try parsedServices()
    guard services.isEmpty || play.scenario == nil && play.profile == nil else {
      throw ValidationError(
        "--scenario and --profile say which protocols there are; --external-accessory cannot add to them")
    }
    guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key go together") }
  }

  func run() async throws {
    let services = try parsedServices()
    let clock = WallClock()
    let scenario = try play.scenario.map { try ScenarioFile.read($0) }
    var profile: HeadUnitProfile
    var conduct: Conduct?
    var served: [String: Scenario.Service] = [:]
    if let name = play.profile {
      (profile, served, conduct) = try ScenarioFile.headUnit(name)
    } else if let scenario {
      (profile, served, conduct) = (scenario.headUnit, scenario.services, scenario.headUnitConduct)
    } else {
      profile = .standard(protocols: services.map(\.name))
    }
    if let name = live.name { profile.identification.name = name }
    let chip = try authenticator()
    let headUnit = HeadUnit(
      profile: profile, authenticator: conduct?.authenticator(chip, clock: clock) ?? chip,
      options: try live.options(clock: clock, conduct: conduct))
    for (name, service) in services { await headUnit.serve(name) { await Self.run(service, $0) } }
    for (name, service) in served { await headUnit.serve(name) { await LiveScenario.serve(service, $0) } }
    let usesStandardOutput = services.contains { if case .stdio = $0.service { true } else { false } }
    let play = scenario.map { scenario in
      ScenarioPlay(LiveScenario(scenario, role: .headUnit), live: headUnit, endsConnection: live.once) {
        await $0.play(headUnit: headUnit, clock: clock)
      }
    }
    try await LiveSession(
      role: .headUnit, live: headUnit, options: live, clock: clock, jsonToStandardError: usesStandardOutput,
      onEvent: { play?.handle($0) }
    ).serve(endsAnyhow: play != nil) { await play?.isComplete() ?? true }
  }

  private func parsedServices() throws -> [(name: String, service: Service)] {
    var seen: Set<String> = []
    guard services.count <= HeadUnitProfile.maximumProtocols else {
      throw ValidationError("--external-accessory: at most \(HeadUnitProfile.maximumProtocols) protocols")
    }
    return try services.map { text in
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex else {
        throw ValidationError("--external-accessory takes PROTOCOL=SERVICE, not \(text)")
      }
      let name = String(text[..<equals])
      let service = String(text[text.index(after: equals)...])
      guard name.utf8.count <= LiveOptions.maximumNameByteCount else {
        throw ValidationError("--external-accessory: a protocol has at most \(LiveOptions.maximumNameByteCount) bytes")
      }
      guard seen.insert(name).inserted else { throw ValidationError("--external-accessory names \(name) twice") }
      switch service {
      case "echo": return (name, .echo)
      case "discard": return (name, .discard)
      case "stdio": return (name, .stdio)
      default:
        do {
          guard case .tcp(let host, let port) = try TransportAddress(parsing: service) else {
            throw ValidationError("\(service) is no service: echo, discard, stdio or tcp:HOST:PORT")
          }
          return (name, .tcp(host: host, port: port))
        } catch is TransportAddress.Problem {
          throw ValidationError("\(service) is no service: echo, discard, stdio or tcp:HOST:PORT")
        }
      }
    }
  }

  private func authenticator() throws -> any Authenticator {
    guard let certificate, let key else { return SoftwareAuthenticator.test }
    return try KeyFiles.authenticator(certificate, key)
  }

  private static func run(_ service: Service, _ stream: ExternalAccessoryStream) async {
    switch service {
    case .echo: await EchoService.run(stream)
    case .discard: while await stream.read() != nil {}
    case .stdio: await StandardStreams.join(stream)
    case .tcp(let host, let port):
      do {
        guard let peer = try await TransportAddress.tcp(host: host, port: port).open().next() else { return }
        await stream.join(peer)
      } catch { Output.note(LiveSession.failure(error).text) }
    }
  }
}

/// An accessory's certificate and key, from a user's files.
enum KeyFiles {
  static func authenticator(_ certificate: String, _ key: String) throws -> any Authenticator {
    do {
      return try SoftwareAuthenticator(
        certificatePEMOrDER: try InputFile.bytes(certificate),
        privateKeyPEM: String(decoding: try InputFile.bytes(key), as: UTF8.self))
    } catch let error as AuthenticationError {
      throw CommandFailure(.badInput, "\(certificate), \(key): \(error)")
    }
  }
}

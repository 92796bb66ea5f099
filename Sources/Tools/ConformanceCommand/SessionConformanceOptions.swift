// swift-iap2 · Apache-2.0

package import ArgumentParser
package import CarPlayCommand
import CommandSupport
package import IAP2

/// The options of `iap2 conformance` for CarPlay sessions alone.
package struct SessionConformanceOptions: ParsableArguments {
  @OptionGroup package var keyLog: KeyLogOptions

  @Option(
    name: .customLong("live"),
    help: ArgumentHelp(
      "The time for which the ordinary session is live. In it the car's screen can be touched, so that input is judged, too.",
      valueName: "seconds"))
  package var liveSeconds = Self.standardSeconds

  @Option(
    help: ArgumentHelp(
      "The phone's control port, to which control requests are sent; without it their checks do not apply.",
      valueName: "host:port"))
  package var control: HostPort?

  @Option(
    help: ArgumentHelp(
      "Announce the probe as a phone by Bonjour under this name, through Avahi, so that a head unit can ask it to connect.",
      valueName: "name"))
  package var announce: String?

  private static let standardSeconds = 3.0

  package init() {}

  /// Throws an error about an option that does not go with the others.
  ///
  /// - Parameters:
  ///   - isUsed: Whether CarPlay sessions are checked.
  ///   - side: The side of this program; nil if it is not given.
  ///   - captures: The folder of captures; nil for none.
  package func check(isUsed: Bool, transport: String?, side: Side?, captures: String?, hasFaults: Bool) throws {
    guard isUsed else {
      guard !keyLog.isGiven else { throw ValidationError("--key-log goes with --carplay") }
      guard announce == nil else { throw ValidationError("--announce goes with --carplay") }
      guard control == nil else { throw ValidationError("--control goes with --carplay") }
      guard liveSeconds == Self.standardSeconds else { throw ValidationError("--live goes with --carplay") }
      return
    }
    guard !hasFaults else { throw ValidationError("--fault is for the checks of iAP2: leave it out with --carplay") }
    guard liveSeconds.isFinite, (0...3600).contains(liveSeconds) else {
      throw ValidationError("--live takes 0 to 3600 seconds")
    }
    guard control == nil || side == .accessory else {
      throw ValidationError("--control is a phone's: use it with --as headunit")
    }
    guard announce == nil || side == .device else {
      throw ValidationError("--announce announces a phone: use it with --as phone")
    }
    guard let transport else { return }
    try SessionPeer.check(transport, as: side)
    if case .loopback = try SessionPeer(transport), control != nil || announce != nil {
      throw ValidationError("loopback has its control port in memory: leave out --control and --announce")
    }
    if case .loopback = try SessionPeer(transport), captures != nil || keyLog.isGiven {
      throw ValidationError("loopback has no sockets to record: leave out --captures and --key-log")
    }
  }
}

/// The peer of checks of CarPlay sessions, as `--transport` names it.
enum SessionPeer: Sendable {
  /// This program's other role, in memory.
  case loopback
  /// A head unit at an address.
  case dial(HostPort)
  /// A phone that connects to an address.
  case listen(HostPort)

  /// Reads `tcp:HOST:PORT`, `tcp-listen:HOST:PORT` or `loopback`.
  init(_ transport: String) throws {
    let parts = transport.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count == 2 ? HostPort(argument: parts[1]) : nil) {
    case ("loopback", nil) where parts.count == 1: self = .loopback
    case ("tcp", let address?): self = .dial(address)
    case ("tcp-listen", let address?): self = .listen(address)
    case ("tcp", nil), ("tcp-listen", nil):
      throw ValidationError("\(transport): give a host and a port of 0 to 65535, such as tcp:127.0.0.1:7000")
    default:
      throw ValidationError(
        "\(transport): a CarPlay session is over TCP: give tcp:HOST:PORT of a head unit, tcp-listen:HOST:PORT for a "
          + "phone, or loopback")
    }
  }

  /// Throws an error about a peer that is not for a side.
  ///
  /// - Parameter side: The side of this program; nil if it is not given.
  static func check(_ transport: String, as side: Side?) throws {
    switch (try SessionPeer(transport), side) {
    case (.dial, .accessory):
      throw ValidationError("--as headunit waits for a phone: give tcp-listen:HOST:PORT in place of \(transport)")
    case (.listen, .device):
      throw ValidationError("--as phone connects to a head unit: give tcp:HOST:PORT in place of \(transport)")
    default: break
    }
  }
}

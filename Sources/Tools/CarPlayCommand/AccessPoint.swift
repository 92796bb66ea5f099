// swift-iap2 · Apache-2.0

package import ArgumentParser
import CommandSupport
import Foundation
import IAP2
package import IAP2Roles
import Synchronization

/// The options of a head unit's access point, which the phone joins for CarPlay over the air.
package struct AccessPointOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The name of the access point that the phone joins (SSID), for CarPlay over the air.", valueName: "name"))
  var wifi: String?

  @Option(help: ArgumentHelp("The passphrase of --wifi; without one the network is open.", valueName: "text"))
  var wifiPassphrase: String?

  package init() {}

  package func validate() throws {
    try wifi.map { try DiscoveryName.check($0, of: "--wifi", maximumByteCount: Self.maximumNameByteCount) }
    guard wifiPassphrase == nil || wifi != nil else { throw ValidationError("--wifi-passphrase needs --wifi") }
    if let wifiPassphrase,
      !Self.passphraseLengths.contains(wifiPassphrase.utf8.count)
        || !wifiPassphrase.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    {
      throw ValidationError("--wifi-passphrase takes 8 to 63 printable characters of ASCII, as WPA does")
    }
  }

  /// The lengths of IEEE 802.11.
  private static let maximumNameByteCount = 32, passphraseLengths = 8...63

  package var isGiven: Bool { wifi != nil }

  /// Puts the access point into the answer to the phone's request.
  package func apply(to profile: inout HeadUnitProfile) throws {
    guard let wifi else {
      if let known = profile.state.wiFi, profile.identification.wirelessCarPlayTransportComponent != nil {
        Output.note(
          "no --wifi: a phone that asks is told the access point \(known.wiFiSSID.printable), which need not exist")
      }
      return
    }
    guard profile.identification.wirelessCarPlayTransportComponent != nil else {
      throw CommandFailure(
        .usage, "--wifi is for CarPlay over the air: use an rfcomm transport, or a profile with wirelessCarPlay")
    }
    var network = profile.state.wiFi ?? AccessoryWiFiConfigurationInformation()
    network.wiFiSSID = wifi
    network.wiFiPassphrase = wifiPassphrase
    network.securityType = wifiPassphrase == nil ? WiFiSecurityType.none : .wpaOrWPA2
    network.channel = nil
    profile.state.wiFi = network
  }
}

/// How a phone joins the access point of a head unit.
package struct JoinOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Run this command of the shell when the head unit names its access point. The environment has WIFI_SSID, \
      WIFI_PASSPHRASE and WIFI_CHANNEL, as far as the head unit gives them.
      """,
      valueName: "command"))
  package var wifiJoin: String?

  package init() {}

  package func validate() throws {
    if wifiJoin?.isEmpty == true { throw ValidationError("--wifi-join takes a command") }
  }

  package var isGiven: Bool { wifiJoin != nil }
}

/// The phone's connection to an access point: a command of the user.
package final class WiFiJoiner: Sendable {
  private let command: String
  private let running = Mutex<ShellCommand?>(nil)

  package init(_ command: String) { self.command = command }

  /// Joins the access point that a head unit names.
  package func take(_ event: RoleEvent) {
    guard case .feature(.accessoryWiFi(let network)) = event else { return }
    end()
    var environment = ["WIFI_SSID": network.wiFiSSID]
    environment["WIFI_PASSPHRASE"] = network.wiFiPassphrase
    environment["WIFI_CHANNEL"] = network.channel.map { "\($0)" }
    do {
      let started = try ShellCommand(command, environment: environment, failure: "--wifi-join") { status in
        if status != 0 { Output.note("--wifi-join ended with status \(status)") }
      }
      running.withLock { $0 = started }
    } catch { Output.note((error as? CommandFailure)?.text ?? "\(error)") }
  }

  /// Ends a command that still runs, and the processes that it started.
  package func end() {
    let last = running.withLock { running in
      defer { running = nil }
      return running
    }
    last?.end()
  }
}

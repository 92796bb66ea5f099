// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CommandSupport
import IAP2Bluetooth
import IAP2Transports
import IAP2USB

struct Devices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List attached devices, whether they speak iAP2, and the transport to reach each.",
    discussion: """
      Lists USB devices with their ports, and the USB device controllers on which this machine can be a device, as a \
      head unit or as a phone. For a device that may not be opened, the missing permission is named.

      Lists Bluetooth adapters, and the devices that bluetoothd knows as paired, connected or speaking iAP2. With --scan \
      it first looks for other devices, and then asks paired devices whose iAP2 service is not known.

      With --network it also lists the head units and phones that announce CarPlay by Bonjour, with what their records \
      say and what is wrong with them. Avahi looks for them.

      Examples:
        iap2 devices
        iap2 devices --json
        iap2 devices --scan 10
        iap2 devices --network
      """)

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Look for discoverable Bluetooth devices for this many seconds.", valueName: "seconds"))
  var scan = 0

  @Flag(help: "Look for head units and phones on the network, too.")
  var network = false

  @Option(help: ArgumentHelp("Look for them for so many seconds (default: 3).", valueName: "seconds"))
  var networkSeconds: Double?

  func validate() throws {
    guard network || networkSeconds == nil else { throw ValidationError("--network-seconds needs --network") }
    let seconds = networkSeconds ?? Self.networkSeconds
    guard seconds > 0, seconds <= Double(Self.longestScanSeconds) else {
      throw ValidationError("--network-seconds takes seconds, above 0 and at most \(Self.longestScanSeconds)")
    }
    guard (0...Self.longestScanSeconds).contains(scan) else {
      throw ValidationError("--scan takes 0 to \(Self.longestScanSeconds) seconds")
    }
  }

  /// The time in which almost every service of a network answers. Ours.
  private static let networkSeconds = 3.0
  /// The limit of `--scan`: a discoverable device is found much earlier.
  private static let longestScanSeconds = 120

  func run() async throws {
    let lines: [DeviceLine]
    do { lines = try DeviceLine.all(scanSeconds: scan) } catch { throw CommandFailure(error) }
    let found = network ? try await NetworkDevice.all(seconds: networkSeconds ?? Self.networkSeconds) : []
    if json {
      for line in lines { try Output.json(line) }
      for line in found { try Output.json(line) }
      return
    }
    for line in found { Output.line(line.text) }
    if network, found.isEmpty { Output.note("no head unit and no phone announces itself on the network") }
    if lines.isEmpty, !network {
      Output.note("this machine has no USB devices, no USB device controllers and no Bluetooth adapter")
    }
    for line in lines { Output.line(line.text) }
  }
}

extension DeviceLine {
  /// The line for a terminal.
  var text: String {
    let words = [port, id, name, serial.map { "serial \($0)" }].compactMap { $0 }
    let what =
      switch role {
      case .accessory: "accessory" + (transport.map { ": phone --transport \($0)" } ?? "")
      case .phone: "phone" + (transport.map { ": headunit --transport \($0)" } ?? "")
      case .controller where transport?.hasPrefix(RFCOMMAddress.listenScheme) == true:
        "can accept connections: headunit or phone --transport \(transport ?? "")"
      case .controller:
        "can be a USB device: headunit --transport \(transport ?? ""), phone --transport "
          + "\(PhoneGadgetAddress.scheme):\(port)"
      case .none: ""
      }
    let native = nativeProtocolCount.flatMap { count in
      count == 0 ? nil : "native: " + (nativeProtocols?.joined(separator: ", ") ?? "\(count)")
    }
    let network = network.map { "network (CDC-NCM) at interface \($0)" }
    return (words + [what.isEmpty ? nil : Color.green(what), native, network, problem].compactMap { $0 }).joined(
      separator: "  ")
  }
}

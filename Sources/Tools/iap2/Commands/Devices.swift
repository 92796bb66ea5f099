// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import IAP2Bluetooth
import IAP2Transports
import IAP2USB

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List attached devices, whether they speak iAP2, and the transport to reach each.",
    discussion: """
      Lists USB devices with their ports, and the USB device controllers on which this machine can be a device, as a \
      head unit or as a phone. For a device that may not be opened, the missing permission is named.

      Lists Bluetooth adapters, and the devices that bluetoothd knows as paired, connected or speaking iAP2. With --scan \
      it first looks for other devices, and then asks paired devices whose iAP2 service is not known.

      Examples:
        iap2 devices
        iap2 devices --json
        iap2 devices --scan 10
      """)

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Look for discoverable Bluetooth devices for this many seconds.", valueName: "seconds"))
  var scan = 0

  func validate() throws {
    guard (0...Self.longestScanSeconds).contains(scan) else {
      throw ValidationError("--scan takes 0 to \(Self.longestScanSeconds) seconds")
    }
  }

  /// The limit of `--scan`: a discoverable device is found much earlier.
  private static let longestScanSeconds = 120

  func run() throws {
    let lines: [DeviceLine]
    do { lines = try DeviceLine.all(scanSeconds: scan) } catch { throw CommandFailure(error) }
    if json {
      for line in lines { try Output.json(line) }
    } else if lines.isEmpty {
      Output.note("this machine has no USB devices, no USB device controllers and no Bluetooth adapter")
    } else {
      for line in lines { Output.line(line.text) }
    }
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

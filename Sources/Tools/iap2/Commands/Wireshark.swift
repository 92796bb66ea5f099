// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation

struct Wireshark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print a dissector of iAP2 for Wireshark, or install it.",
    discussion: """
      The dissector is a Lua file. It knows what the catalogue of this program knows, and names its fields iap2.…: \
      iap2.control.syn, iap2.message.id, iap2.power_update.battery_charge_level. It reads captures of this program (link \
      type USER10), USB, Bluetooth and, where told to, TCP.

      Examples:
        iap2 wireshark --install
        iap2 wireshark > iap2.lua && tshark -X lua_script:iap2.lua -r capture.pcapng -Y iap2.message
        tshark -r capture.pcapng -T fields -e iap2.from -e iap2.message.name
      """)

  /// Where Wireshark looks for the scripts of a user, whatever its release.
  private static let folder = ".local/lib/wireshark/plugins"

  @Flag(help: "Write it to ~/\(folder)/iap2.lua.")
  var install = false

  func run() throws {
    guard install else { return Output.text(WiresharkDissector.text) }
    // Wireshark goes by the variable too, not by the list of users.
    guard let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty else {
      throw CommandFailure(.usage, "HOME is not set, so there is no folder to install in")
    }
    let folder = URL(filePath: home).appending(path: Self.folder)
    let file = folder.appending(path: "iap2.lua")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(WiresharkDissector.text.utf8).write(to: file, options: .atomic)
    } catch {
      throw CommandFailure(.noPermission, "cannot write \(file.path()): \(InputFile.reason(error))")
    }
    Output.line("\(file.path()) is in place; Wireshark and tshark read it when they start")
  }
}

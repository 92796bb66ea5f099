// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation

struct Wireshark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print or install the dissector of iAP2 and CarPlay for Wireshark.",
    discussion: """
      The dissector is a Lua file. It knows the message catalog of this program. Its fields begin with `iap2.`, for \
      example `iap2.control.syn`, `iap2.message.id` and `iap2.power_update.battery_charge_level`. It reads captures of this \
      program (link type USER10), USB and Bluetooth, and TCP where Decode As selects it.

      CarPlay sessions of network captures have fields that begin with `carplay.`, such as `carplay.body.entry`. A whole \
      session is shown of a copy in the clear, as `iap2 decode --decrypted` writes it.

      Examples:
        iap2 wireshark --install
        iap2 wireshark > iap2.lua && tshark -X lua_script:iap2.lua -r capture.pcapng -Y iap2.message
        tshark -r capture.pcapng -T fields -e iap2.from -e iap2.message.name
        tshark -r clear.pcapng -Y 'carplay.method == "SETUP"' -T fields -e carplay.body.entry
      """)

  /// The folder in which every release of Wireshark looks for a user's scripts.
  private static let folder = ".local/lib/wireshark/plugins"

  @Flag(help: "Write the dissector to ~/\(folder)/iap2.lua.")
  var install = false

  func run() throws {
    guard install else { return Output.text(WiresharkDissector.text) }
    // Wireshark also uses the variable instead of the user database.
    guard let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty else {
      throw CommandFailure(
        .usage, "HOME is not set, so the plugin folder is unknown; set HOME, or print the dissector without --install")
    }
    let folder = URL(filePath: home).appending(path: Self.folder)
    let file = folder.appending(path: "iap2.lua")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(WiresharkDissector.text.utf8).write(to: file, options: .atomic)
    } catch {
      throw CommandFailure(
        .noPermission, "cannot write \(file.path(percentEncoded: false)): \(InputFile.reason(error))")
    }
    Output.line("\(file.path(percentEncoded: false)) is installed; Wireshark and tshark read it when they start")
  }
}

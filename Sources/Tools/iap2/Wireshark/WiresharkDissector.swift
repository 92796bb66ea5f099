// swift-iap2 · Apache-2.0

import CarPlayCapture
import IAP2Capture

/// The dissector for Wireshark: the schema as a table, then the handwritten parts in the order of loading.
enum WiresharkDissector {
  private static let parts: [[UInt8]] = [
    PackageResources.fields_lua, PackageResources.scan_lua, PackageResources.stream_lua,
    PackageResources.parameters_lua, PackageResources.show_lua, PackageResources.register_lua,
    PackageResources.carplay_fields_lua, PackageResources.carplay_bodies_lua, PackageResources.carplay_requests_lua,
    PackageResources.carplay_streams_lua, PackageResources.carplay_show_lua, PackageResources.carplay_register_lua,
  ]

  static var text: String {
    let head = """
      -- swift-iap2 · Apache-2.0
      -- A dissector of iAP2 and CarPlay sessions for Wireshark, printed by `iap2 wireshark`; do not edit.
      -- More: Documentation/Tasks/UseWireshark.md


      """
    let hand = parts.map { String(decoding: $0, as: UTF8.self) }
    return head + ([WiresharkSchema.text, SessionSchema.text] + hand).joined(separator: "\n")
  }
}

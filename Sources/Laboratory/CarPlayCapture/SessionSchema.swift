// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2Capture

/// The names and sizes of CarPlay sessions as a Lua table for the Wireshark dissector.
package enum SessionSchema {
  /// The table.
  package static var text: String {
    let kinds = TLV8.Kind.allCases.map { "[\($0.rawValue)] = \"\($0)\"" }
    let errors = (UInt8.min...UInt8.max).compactMap { number in
      PairingError(rawValue: number).map { "[\(number)] = \"\($0)\"" }
    }
    let pictures = ScreenMessage.Kind.allCases.map { "[\($0.rawValue)] = \"\($0)\"" }
    let streams = StreamType.allCases.map {
      "[\"\($0.rawValue)\"] = { name = \"\($0.name)\", family = \"\($0.family)\" }"
    }
    return """
      local session_schema = {
        pairing_kinds = { \(kinds.joined(separator: ", ")) },
        pairing_errors = { \(errors.joined(separator: ", ")) },
        picture_kinds = { \(pictures.joined(separator: ", ")) },
        stream_types = { \(streams.joined(separator: ", ")) },
        iap_client = "\(StreamBody.clientOfIAP)",
        header_limit = \(RequestReader.maximumHeaderByteCount),
        body_limit = \(RequestReader.maximumBodyByteCount),
        list_depth = \(PropertyListLimits.depth),
        list_objects = \(PropertyListLimits.objectCount),
        list_bytes = \(PropertyListLimits.contentByteCount),
        screen_header = \(ScreenMessage.headerByteCount),
        screen_limit = \(ScreenMessage.maximumBodyByteCount),
        package_header = \(DataPackage.headerByteCount),
        package_limit = \(DataPackage.maximumByteCount),
        sound_header = \(AudioPacket.headerByteCount),
        clock_length = \(ClockPacket.byteCount),
        tag_length = \(ChaCha20Poly1305.tagByteCount),
        comment_sealed = "\(DecryptedMark.sealed.comment)",
        comment_damaged = "\(DecryptedMark.damaged("").comment)",
        comment_incomplete = "\(DecryptedMark.incomplete.comment)",
      }

      """
  }
}

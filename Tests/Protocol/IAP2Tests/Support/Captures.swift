// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import WireSupport

/// One line of a capture in the text form, read without the reader of `IAP2Capture`.
struct WireRecord {
  var from: Side
  var bytes: [UInt8]

  static func file(_ name: String) throws -> [WireRecord] {
    let captures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../captures/")
    let text = try String(contentsOf: captures.appending(path: name), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.prefix { $0 != "#" }.split(separator: " ")
      return WireRecord(from: words[0] == "A>D" ? .accessory : .device, bytes: hex(words[1...].joined()))
    }
  }
}

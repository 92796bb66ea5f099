// swift-iap2 · Apache-2.0

import IAP2

/// The kind of a file from which nothing could be read, by its first bytes.
package enum CaptureLook: Sendable, Hashable, CaseIterable {
  /// Files in an archive.
  case zip
  /// A compressed file.
  case gzip, xz, zstandard, bzip2
  /// A binary export of Saleae Logic.
  case saleae
  /// A picture, a document or a program.
  case png, jpeg, pdf, elf
  /// Link bytes without any format.
  case linkBytes
  /// Text with link bytes in base64.
  case base64
  /// A page of the web.
  case html
  /// An Android bug report with a short form of the Bluetooth log.
  case shortBluetoothLog
  /// A table of serial bytes that are shown as characters.
  case characterTable

  /// The number of bytes that are looked at.
  static let byteCount = 4096

  /// The first bytes of each binary kind.
  private static let magic: [(bytes: [UInt8], look: CaptureLook)] = [
    (Array("PK\u{3}\u{4}".utf8), .zip), ([0x1F, 0x8B], .gzip), ([0xFD] + Array("7zXZ".utf8), .xz),
    ([0x28, 0xB5, 0x2F, 0xFD], .zstandard), (Array("BZh".utf8), .bzip2), (Array("<SALEAE>".utf8), .saleae),
    ([0x89] + Array("PNG".utf8), .png), ([0xFF, 0xD8, 0xFF], .jpeg), (Array("%PDF".utf8), .pdf),
    ([0x7F] + Array("ELF".utf8), .elf),
  ]
  /// The base64 of the beginnings FF 55 02 and FF 5A 00.
  private static let encodedStarts = ["/1UC", "/1oA"]

  /// Returns nil for bytes of no known kind.
  init?(_ bytes: [UInt8]) {
    if let known = Self.magic.first(where: { bytes.starts(with: $0.bytes) }) {
      self = known.look
      return
    }
    let sample = Array(bytes.prefix(Self.byteCount))
    if sample.contains(0), Self.hasLink(sample) {
      self = .linkBytes
      return
    }
    let text = String(decoding: sample, as: UTF8.self)
    if text.contains("BEGIN:BTSNOOP_LOG_SUMMARY") {
      self = .shortBluetoothLog
    } else if Self.encodedStarts.contains(where: text.contains) {
      self = .base64
    } else if text.lowercased().contains("<html") {
      self = .html
    } else if ByteTable.hasCharacters(text.split(whereSeparator: \.isNewline)) {
      self = .characterTable
    } else {
      return nil
    }
  }

  /// Returns whether a packet or a detect sequence is in the bytes.
  private static func hasLink(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0] == 0xFF && LinkContent.begins(bytes.rawBytes.extracting($0..<bytes.count)) }
  }

  /// The kind in words, and how it can be read.
  package var text: String {
    switch self {
    case .zip:
      "it looks like a ZIP archive, as bug reports of Android, Saleae's .sal and sigrok's .sr are: unpack it, or export"
        + " the decoded bytes as CSV"
    case .gzip: Self.compressed("gzip", "gunzip")
    case .xz: Self.compressed("xz", "xz -d")
    case .zstandard: Self.compressed("zstd", "zstd -d")
    case .bzip2: Self.compressed("bzip2", "bunzip2")
    case .saleae: "it looks like a binary export of Saleae Logic: export CSV in its place"
    case .png, .jpeg: "it looks like a picture: a capture has to be text or bytes"
    case .pdf: "it looks like a PDF document: copy the text of the log to a file"
    case .elf: "it looks like a program"
    case .linkBytes:
      "it looks like link bytes without a format: --from accessory or --from device reads them as those of one side"
    case .base64: "it looks like bytes in base64: decode them with base64 -d, then --from reads those of one side"
    case .html: "it looks like a web page: save the log that it shows as text"
    case .shortBluetoothLog:
      "it looks like an Android bug report with a short, compressed Bluetooth log, which is not read: take the whole"
        + " log, btsnoop_hci.log, which the phone writes if its developer options say so"
    case .characterTable:
      "it looks like a table with bytes as characters: set the radix of the analyzer to hexadecimal, and export again"
    }
  }

  private static func compressed(_ name: String, _ command: String) -> String {
    "it looks like a file compressed by \(name): \(command) -c FILE | iap2 decode -"
  }
}

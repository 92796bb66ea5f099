// swift-iap2 · Apache-2.0

import IAP2Capture

/// A part of the library that is given any bytes, and what it promises about them.
///
/// The bodies are plain code: a fuzzer calls them with what it makes up, the tests with what is kept.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case link, synchronization, control, catalogue
  case fileTransfer = "file-transfer"
  case identification, endpoint
  case pcapng = "capture-pcapng"
  case pcap = "capture-pcap"
  case btsnoop = "capture-btsnoop"
  case packetLogger = "capture-packetlogger"
  case text = "capture-text"
  case log = "capture-log"

  /// Inputs longer than this teach nothing more and cost time: the longest machine here needs some dozens of packets, a
  /// capture some records.
  package var maximumByteCount: Int {
    switch self {
    case .synchronization: 1024
    case .link, .control, .catalogue, .fileTransfer, .identification, .endpoint: 4096
    case .pcapng, .pcap, .btsnoop, .packetLogger, .text, .log: 8192
    }
  }

  /// The format of a capture; nil for the other targets.
  var format: CaptureReader.Format? {
    switch self {
    case .link, .synchronization, .control, .catalogue, .fileTransfer, .identification, .endpoint: nil
    case .pcapng: .pcapng
    case .pcap: .pcap
    case .btsnoop: .btsnoop
    case .packetLogger: .packetLogger
    case .text, .log: .text
    }
  }

  static var captures: [FuzzTarget] { allCases.filter { $0.format != nil } }

  /// Checks every promise with this input.
  ///
  /// - Returns: false for an input that is another target's.
  package func check(_ bytes: [UInt8]) throws(Finding) -> Bool {
    switch self {
    case .link: try LinkTarget.check(bytes)
    case .synchronization: try SynchronizationTarget.check(bytes)
    case .control: try ControlTarget.check(bytes)
    case .catalogue: try CatalogueTarget.check(bytes)
    case .fileTransfer: try FileTransferTarget.check(bytes)
    case .identification: try IdentificationTarget.check(bytes)
    case .endpoint: try EndpointTarget.check(bytes)
    case .pcapng, .pcap, .btsnoop, .packetLogger, .text, .log:
      guard let format else { return false }
      return try CaptureTarget.check(bytes, format, withLog: self == .log)
    }
    return true
  }
}

// swift-iap2 · Apache-2.0

import IAP2Capture

/// A part of the library that must keep its invariants for arbitrary bytes.
///
/// The checks are plain code: a fuzzer calls them with generated inputs, the tests with stored ones.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case link, synchronization, control, catalog
  case fileTransfer = "file-transfer"
  case identification, endpoint, session
  case pcapng = "capture-pcapng"
  case pcap = "capture-pcap"
  case btsnoop = "capture-btsnoop"
  case packetLogger = "capture-packetlogger"
  case text = "capture-text"
  case log = "capture-log"

  /// The maximum length of an input in bytes. Longer inputs cost time and find nothing more: the longest state machine
  /// here needs a few dozen packets, a capture a few records.
  package var maximumByteCount: Int {
    switch self {
    case .synchronization: 1024
    case .link, .control, .catalog, .fileTransfer, .identification, .endpoint, .session: 4096
    case .pcapng, .pcap, .btsnoop, .packetLogger, .text, .log: 8192
    }
  }

  /// The format of a capture; nil for other targets.
  var format: CaptureReader.Format? {
    switch self {
    case .link, .synchronization, .control, .catalog, .fileTransfer, .identification, .endpoint, .session: nil
    case .pcapng: .pcapng
    case .pcap: .pcap
    case .btsnoop: .btsnoop
    case .packetLogger: .packetLogger
    case .text, .log: .text
    }
  }

  static var captures: [FuzzTarget] { allCases.filter { $0.format != nil } }

  /// Checks every invariant with this input.
  ///
  /// - Returns: false for an input of another target.
  /// - Throws: the invariant that failed.
  package func check(_ bytes: [UInt8]) throws(Finding) -> Bool {
    switch self {
    case .link: try LinkTarget.check(bytes)
    case .synchronization: try SynchronizationTarget.check(bytes)
    case .control: try ControlTarget.check(bytes)
    case .catalog: try CatalogTarget.check(bytes)
    case .fileTransfer: try FileTransferTarget.check(bytes)
    case .identification: try IdentificationTarget.check(bytes)
    case .endpoint: try EndpointTarget.check(bytes)
    case .session: try SessionTarget.check(bytes)
    case .pcapng, .pcap, .btsnoop, .packetLogger, .text, .log:
      guard let format else { return false }
      return try CaptureTarget.check(bytes, format, withLog: self == .log)
    }
    return true
  }
}

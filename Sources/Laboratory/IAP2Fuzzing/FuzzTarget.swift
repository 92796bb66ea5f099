// swift-iap2 · Apache-2.0

import IAP2Capture

/// A part of the library that must keep its invariants for arbitrary bytes.
///
/// The checks are plain code: a fuzzer calls them with generated inputs, the tests with stored ones.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case link, synchronization, control, catalog
  case fileTransfer = "file-transfer"
  case identification, endpoint, session, certificate
  case pcapng = "capture-pcapng"
  case pcap = "capture-pcap"
  case btsnoop = "capture-btsnoop"
  case packetLogger = "capture-packetlogger"
  case text = "capture-text"
  case log = "capture-log"
  case carPlayPairing = "carplay-tlv8"
  case carPlayRequest = "carplay-request"
  case carPlayPropertyList = "carplay-plist"
  case carPlayBody = "carplay-body"
  case carPlayFrame = "carplay-frame"
  case carPlayScreen = "carplay-screen"
  case carPlayAudio = "carplay-audio"
  case carPlayBuffered = "carplay-buffered"
  case carPlayPackage = "carplay-package"
  case carPlayInput = "carplay-input"
  case carPlayVideo = "carplay-video"
  case carPlayCapture = "carplay-capture"
  case carPlayHeadUnit = "carplay-headunit"
  case carPlayPhone = "carplay-phone"

  /// The maximum length of an input in bytes. Longer inputs cost time and find nothing more: the longest state machine
  /// here needs a few dozen packets, a capture a few records.
  package var maximumByteCount: Int {
    switch self {
    case .synchronization: 1024
    case .link, .control, .catalog, .fileTransfer, .identification, .endpoint, .session, .certificate:
      4096
    case .pcapng, .pcap, .btsnoop, .packetLogger, .text, .log: 8192
    case .carPlayHeadUnit, .carPlayPhone: 1024
    case .carPlayPairing, .carPlayRequest, .carPlayPropertyList, .carPlayBody, .carPlayFrame, .carPlayScreen,
      .carPlayAudio, .carPlayBuffered, .carPlayPackage, .carPlayInput, .carPlayVideo, .carPlayCapture:
      4096
    }
  }

  /// The format of a capture; nil for other targets.
  var format: CaptureReader.Format? {
    switch self {
    case .pcapng: .pcapng
    case .pcap: .pcap
    case .btsnoop: .btsnoop
    case .packetLogger: .packetLogger
    case .text, .log: .text
    default: nil
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
    case .certificate: try CertificateTarget.check(bytes)
    case .pcapng, .pcap, .btsnoop, .packetLogger, .text, .log:
      guard let format else { return false }
      return try CaptureTarget.check(bytes, format, withLog: self == .log)
    case .carPlayPairing: try TLV8Target.check(bytes)
    case .carPlayRequest: try RequestTarget.check(bytes)
    case .carPlayPropertyList: try PropertyListTarget.check(bytes)
    case .carPlayBody: try BodyTarget.check(bytes)
    case .carPlayFrame: try FrameTarget.check(bytes)
    case .carPlayScreen: try ScreenTarget.check(bytes)
    case .carPlayAudio: try AudioTarget.check(bytes)
    case .carPlayBuffered: try BufferedTarget.check(bytes)
    case .carPlayPackage: try PackageTarget.check(bytes)
    case .carPlayInput: try InputTarget.check(bytes)
    case .carPlayVideo: try VideoTarget.check(bytes)
    case .carPlayCapture: try CarPlayCaptureTarget.check(bytes)
    case .carPlayHeadUnit: try CarPlaySessionTarget.checkHeadUnit(bytes)
    case .carPlayPhone: try CarPlaySessionTarget.checkPhone(bytes)
    }
    return true
  }
}

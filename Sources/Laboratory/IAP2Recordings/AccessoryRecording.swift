// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
package import IAP2Capture
import IAP2Replay
package import IAP2Roles

/// The accessory of a recorded session as data: its identification, and the bytes of its EA sessions.
package struct AccessoryRecording: Sendable {
  /// The reason why a capture cannot stand for an accessory.
  package enum Problem: Error, Equatable, Sendable {
    /// The file has no iAP2 in any format that is read.
    case noSession
    /// The capture lacks the identification of the accessory.
    case noIdentification
    /// No EA session of a known protocol has data. The protocols are those of the identification.
    case noData(protocols: [String])
    /// The capture has more data than a recording keeps.
    case tooLong

    /// The human-readable reason.
    package var text: String {
      switch self {
      case .noSession: "the file has no iAP2 session in any format that `iap2 decode` reads"
      case .noIdentification: "the capture has no identification of the accessory; record the session from its begin"
      case .noData(let protocols):
        protocols.isEmpty
          ? "the accessory of the capture has no EA protocol"
          : "no EA session of the capture has data; the accessory has \(protocols.joined(separator: ", "))"
      case .tooLong: "the capture has more messages and data than a replay keeps"
      }
    }
  }

  /// An EA session.
  package struct Session: Sendable, Equatable {
    /// Bytes of the accessory.
    struct Answer: Sendable, Equatable {
      /// The number of the device's bytes before them.
      var position: Int
      var bytes: [UInt8]
    }

    /// The bytes that the device sent.
    var device: [UInt8] = []
    /// The bytes that the accessory sent, in order.
    var answers: [Answer] = []
    /// Whether the accessory closed the session.
    var isClosedByAccessory = false
  }

  /// The accessory.
  package let headUnit: HeadUnitProfile
  /// The sessions of each protocol, in their order. A protocol without data has none.
  package private(set) var sessions: [String: [Session]] = [:]
  /// The first damage of the file, such as an end within a record; nil without one.
  package let damage: String?

  /// Reads the first session of a capture.
  package init(_ capture: Capture) throws(Problem) {
    let record: SessionRecord
    do { record = try capture.record(limits: ReplayScript.recordLimits).session } catch { throw .noSession }
    guard record.stepsBeforeLostPiece == nil, record.remainder(.accessory).steps == 0 else { throw .tooLong }
    guard let identification = record.identification else { throw .noIdentification }
    headUnit = record.headUnitProfile(identification)
    damage = record.damage
    addSessions(of: record)
    guard !sessions.isEmpty else {
      throw .noData(
        protocols: identification.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName))
    }
  }

  private mutating func addSessions(of record: SessionRecord) {
    var all = [Session](repeating: Session(), count: record.externalAccessories.count)
    for piece in record.pieces {
      guard case .externalAccessory(let index) = piece.stream else { continue }
      switch piece.from {
      case .device: all[index].device += piece.bytes
      case .accessory:
        all[index].answers.append(Session.Answer(position: all[index].device.count, bytes: piece.bytes))
      }
    }
    for index in Self.closedByAccessory(record) { all[index].isClosedByAccessory = true }
    for (session, content) in zip(record.externalAccessories, all) {
      guard let name = session.protocolName, content != Session() else { continue }
      sessions[name, default: []].append(content)
    }
  }

  /// Returns the indices of the EA sessions that the accessory closed.
  private static func closedByAccessory(_ record: SessionRecord) -> [Int] {
    var open: [UInt16: Int] = [:]
    var closed: [Int] = []
    for step in record.steps {
      switch step.content {
      case .externalAccessory(let index): open[record.externalAccessories[index].id] = index
      case .message(let bytes):
        guard case .closed(let session)? = ExternalAccessoryChange(bytes),
          let index = open.removeValue(forKey: session), step.from == .accessory
        else { continue }
        closed.append(index)
      case .detect, .synchronization, .reset, .file: continue
      }
    }
    return closed
  }
}

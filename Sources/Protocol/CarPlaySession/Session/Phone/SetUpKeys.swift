// swift-iap2 · Apache-2.0

import Basics

/// The keys of a phone's requests that most head units do not need.
///
/// Source: CarPlaySession.md#set-up-today.
public enum SetUpKeys: String, Sendable, Hashable, CaseIterable {
  /// Those of a phone with iOS 18.3.1, as far as they are public.
  case today
  /// The few that every program knows, and `timingProtocol` of AirPlay.
  case least

  /// Returns a set-up with the keys that it does not state itself.
  package func complete(_ request: SessionSetUpRequest, _ random: RandomBytes) -> SessionSetUpRequest {
    var values: [String: PropertyValue] = [
      "model": "swift-iap2", "sourceVersion": .text(PhoneSession.version), "sessionUUID": .text(Self.uuid(random(16))),
    ]
    if self == .today {
      values.merge([
        "model": "iPhone13,3", "osName": "iPhone OS", "osVersion": "18.3.1", "osBuildVersion": "22D72",
        "sourceVersion": "845.6.1", "statsCollectionEnabled": false, "updateSessionRequest": false,
        "keepAliveLowPower": true, "sessionCorrelationUUID": .text(Self.uuid(random(16))),
      ]) { $1 }
    }
    return SessionSetUpRequest(values: request.values.merging(values) { own, _ in own })
  }

  /// Whether the set-up names the protocol of its clock. One program knows the key from AirPlay alone.
  var statesTimingProtocol: Bool { self == .least }

  /// Whether the request for `/info` has a dictionary. Which keys it has is not public; ours has none.
  var hasInfoBody: Bool { self == .today }

  /// The keys of a stream of sound. Our phone sends no redundant packets and no times of high accuracy, and the form of
  /// `vocoderInfo` is not public.
  var soundKeys: [String: PropertyValue] {
    self == .least
      ? [:] : ["input": false, "supportsHighAccuracyTimestamps": false, "supportsRTPPacketRedundancy": false]
  }

  /// Returns the text of a random UUID (version 4).
  private static func uuid(_ bytes: [UInt8]) -> String {
    var bytes = bytes
    (bytes[6], bytes[8]) = (bytes[6] & 0x0F | 0x40, bytes[8] & 0x3F | 0x80)
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}

// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// Text of the steps and values of a comparison.
package enum ComparisonWords {
  package static func step(_ step: SessionRecord.Step, of session: SessionRecord) -> String {
    switch step.content {
    case .detect: "detect"
    case .synchronization(_, let isAnswer): isAnswer ? "SYN+ACK" : "SYN"
    case .reset: "RST"
    case .message(let bytes): message(ControlHeader.id(of: bytes))
    case .externalAccessory(let index): "EA session of \(name(session.externalAccessories[index]))"
    case .file(let index): "file \(session.files[index].id)"
    }
  }

  package static func message(_ id: UInt16) -> String {
    "\(MessageCatalog[id]?.name ?? "unknown message") \(MessageCatalog.text(id))"
  }

  package static func name(_ session: SessionRecord.ExternalAccessory) -> String {
    session.protocolName.map(\.printable) ?? "an unknown protocol"
  }

  package static func arrow(_ side: Side) -> String {
    side == .accessory ? "accessory → device   " : "device    → accessory"
  }

  package static func time(_ time: Double?) -> String {
    let text = time.map(DecodedText.seconds) ?? "-"
    return String(repeating: " ", count: max(0, 12 - text.count)) + text
  }

  package static func transport(_ key: FlowKey) -> String {
    switch key {
    case .usb: "USB"
    case .usbReports: "USB HID reports"
    case .rfcomm: "Bluetooth"
    case .tcp: "TCP"
    case .own: "link bytes"
    case .text: "text"
    case .session: "CarPlay session"
    }
  }

  package static func path(_ difference: ParameterDifference) -> String {
    difference.path.map { place in
      "\(place.name ?? "\(place.id)")" + (place.index.map { "[\($0)]" } ?? "")
    }.joined(separator: ".")
  }

  package static func field(_ value: SynchronizationField.Value) -> String {
    switch value {
    case .number(let number): "\(number)"
    case .sessions(let sessions): DecodedText.sessions(sessions)
    }
  }

  package static func setup(_ setup: FileTransferSetup?) -> String {
    setup.map { "\($0.byteCount) bytes announced" + ($0.type.map { ", type \($0)" } ?? "") } ?? "not announced"
  }

  package static func remainder(_ remainder: SessionRecord.Remainder) -> String {
    "\(remainder.steps) more steps, \(remainder.byteCount) bytes of data"
  }

  package static func place(_ difference: DataStream.Difference) -> String {
    "the first difference is at byte \(difference.offset)" + (difference.isExact ? "" : " or in the 64 KiB after it")
  }

  /// Returns the bytes around an offset, if they are kept.
  package static func bytes(_ stream: DataStream, at offset: Int) -> String {
    let around = stream.head.dropFirst(max(0, offset - 4)).prefix(16)
    return around.isEmpty ? (offset < stream.byteCount ? "…" : "the end") : Hex.text(Array(around))
  }

  /// Returns the values of both sessions; long values are shortened.
  package static func values(_ difference: ParameterDifference) -> String {
    switch (difference.a, difference.b) {
    case (.list(let a), .list(let b)) where difference.isSet:
      return [sets("only in A", Set(a).subtracting(b)), sets("only in B", Set(b).subtracting(a))].compactMap { $0 }
        .joined(separator: "; ")
    case (.bytes(let a), .bytes(let b)) where max(a.count, b.count) > 32:
      let offset = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
      return "A \(a.count) bytes, B \(b.count) bytes, different from byte \(offset) on"
    case (.some(let a), .some(let b)): return "A \(FeatureValues.text(a)), B \(FeatureValues.text(b))"
    case (.some(let a), nil): return "only in A: \(FeatureValues.text(a))"
    case (nil, .some(let b)): return "only in B: \(FeatureValues.text(b))"
    case (nil, nil): return ""
    }
  }

  private static func sets(_ name: String, _ ids: Set<UInt64>) -> String? {
    ids.isEmpty ? nil : "\(name): " + ids.sorted().map(DecodedText.messageName).joined(separator: ", ")
  }

  package static func note(_ note: ComparisonNote) -> String {
    switch note {
    case .transport(let a, let b): return "transport: A \(transport(a)), B \(transport(b))"
    case .packets(let side, let a, let b):
      return "packets of the \(side.rawValue): A \(counts(a)), B \(counts(b))"
    case .linkSessions(let side, let a, let b):
      return "session ids of the \(side.rawValue): A \(DecodedText.sessions(a)), B \(DecodedText.sessions(b))"
    case .order(let row): return "order between the sides: different from step \(row + 1) on"
    case .volatile(let rule, let count):
      return "\(rule.rawValue): \(count) parameter\(count == 1 ? "" : "s") with different values (\(rule.reason))"
    case .identifier(let space, let a, let b):
      return "\(identifier(space)): \(FeatureValues.text(a)) in A is \(FeatureValues.text(b)) in B"
    }
  }

  package static func identifier(_ space: IdentitySpace) -> String {
    switch space {
    case .externalAccessorySession: "EA session"
    case .call: "call"
    }
  }

  private static func counts(_ counts: SessionRecord.Counts) -> String {
    "\(counts.packets)"
      + (counts.repeatedPackets > 0 ? ", \(counts.repeatedPackets) retransmitted" : "")
      + (counts.errors > 0 ? ", \(counts.errors) errors" : "")
  }
}

// swift-iap2 · Apache-2.0

import IAP2

extension IdentificationCheck {
  /// Returns the texts of a message that lack their final NUL, as the ids of the parameter and of the group around it.
  /// A phone may refuse them: the type is a text with a NUL (Sessions.md#utf8-tolerance).
  package static func textsWithoutNUL(in message: [UInt8]) -> [(parameter: UInt16, group: UInt16?)] {
    let bytes = message.rawBytes
    var found: [(parameter: UInt16, group: UInt16?)] = []
    do {
      try bytes.forEachParameter(in: try ControlHeader.body(bytes)) { (id, _, value) throws(WireError) in
        guard let row = IdentificationInformation.rows.first(where: { $0.id == id }) else { return }
        switch row.shape {
        case .utf8: if !bytes.endsWithNUL(value) { found.append((id, nil)) }
        case .group(let rows):
          try bytes.forEachParameter(in: value) { (inner, _, value) throws(WireError) in
            guard let row = rows.first(where: { $0.id == inner }), case .utf8 = row.shape else { return }
            if !bytes.endsWithNUL(value) { found.append((inner, id)) }
          }
        default: return
        }
      }
    } catch {
      // The reader of the message reports bytes that are no parameters.
    }
    return found
  }
}

extension RawSpan {
  fileprivate func endsWithNUL(_ range: Range<Int>) -> Bool { !range.isEmpty && byte(range.upperBound - 1) == 0 }
}

// swift-iap2 · Apache-2.0

import IAP2

extension IdentificationRule {
  /// The change that follows the rule, as one sentence.
  package var repair: String {
    switch id {
    case "no-implied-messages": "Remove these messages from the list: they are allowed without it."
    case "power-needs-usb": "Add a USB transport component (15 or 16), or remove these messages from 6."
    case "wireless-needs-bluetooth": "Add a Bluetooth transport component (17)."
    case "wireless-messages": "Remove these messages from 6, or add a USB transport component (15 or 16)."
    case "start-with-stop": "Add the Stop of each of these messages to the same list, or remove the Start."
    case "update-with-start": "Add the Start of these updates to the list of its sender, or remove the updates."
    case "answer-with-question": "Add the request to the other list, or remove the answer."
    case "identification-name": "Write a name that tells the user which accessory it is."
    case "ea-protocols": "Give each EA protocol an identifier of its own and a name."
    case "ea-distinct-names": "Remove or rename one of the EA protocols of this name."
    case "ea-match-action": "Use 0 (none), 1 (ask the user) or 2 (in the settings)."
    case "ea-names": "Name the protocol after a domain of its owner, such as com.example.protocol."
    case "ea-listed": "Add 0xEA00 and 0xEA01 to 7."
    case "ea-status": "Add 0xEA03 to 6, and send it as the answer to 0xEA00."
    case "component-contents": "Add the parameters that say what the component offers, or leave it out."
    case "language-supported": "Add the current language (12) to the supported ones (13)."
    case "direction": "Move these messages to the other list, or remove them."
    case "known-messages": "Check the numbers; a number that is right is no error."
    case "no-repeats": "Remove all but one of each."
    case "transport": "Set \"supports iAP2\" in the component of the transport that carries this link."
    case "carplay-transport": "Set \"supports CarPlay\" in component 16, or add component 24."
    default:
      Self.components.first { $0.id == id }.map { need in
        let names = need.anyOf.sorted().map(String.init).joined(separator: ", ")
        return "Add component \(names), or remove these messages from the list."
      } ?? ""
    }
  }
}

extension IdentificationCheck {
  /// Returns the texts of a message that lack their final NUL, as the ids of the parameter and of the group around it. A
  /// phone may refuse them: the type is a text with a NUL (Sessions.md#utf8-tolerance).
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

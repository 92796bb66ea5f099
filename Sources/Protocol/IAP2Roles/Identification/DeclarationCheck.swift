// swift-iap2 · Apache-2.0

package import IAP2

/// A comparison of the messages of a session with the two lists of its identification.
///
/// Messages of authentication and identification are in no list and are ignored. A later identification replaces an
/// earlier one, and the lists of the last one apply to all messages.
package struct DeclarationCheck: Sendable {
  /// A difference between the messages that a side sent and the list for them.
  package struct Finding: Sendable, Hashable {
    /// A rule about the lists; the raw value is its name in JSON.
    package enum Rule: String, Sendable, Hashable {
      /// A side sends only listed messages.
      case undeclared
      /// A side sends each listed message at some time.
      case unused
    }

    /// The rule that the messages break.
    package let rule: Rule
    /// The sender of the messages.
    package let side: Side
    /// The parameter of the identification that has the list: 6 for the accessory, 7 for the device.
    package let parameter: UInt16
    /// The ids of the messages, ascending.
    package let messages: [UInt16]

    /// Whether the finding is an error or a hint.
    package var severity: IdentificationRule.Severity { rule == .undeclared ? .reject : .warn }

    /// The finding as text, without the ids.
    package var text: String {
      switch rule {
      case .undeclared: "sent by the \(side.rawValue) without being listed"
      case .unused: "listed and never sent by the \(side.rawValue)"
      }
    }
  }

  /// The last identification that could be read; nil if there was none.
  package private(set) var identification: IdentificationInformation?
  private var sent: [Side: Set<UInt16>] = [:]

  /// Creates a check of no messages.
  package init() {}

  /// Adds a message with its header.
  package mutating func add(_ id: UInt16, _ bytes: [UInt8], from side: Side) {
    if id == IdentificationInformation.id {
      // The phone rejects an identification that cannot be read, and another one follows.
      do { identification = try IdentificationInformation(decoding: bytes.rawBytes) } catch {}
    }
    if !ControlHeader.isImplied(id) { sent[side, default: []].insert(id) }
  }

  /// The differences for both sides, the accessory first; nil without an identification.
  package var findings: [Finding]? {
    guard let identification else { return nil }
    return identification.lists.flatMap { parameter, list, side -> [Finding] in
      let used = sent[side] ?? []
      return [
        Finding(rule: .undeclared, side: side, parameter: parameter, messages: used.subtracting(list).sorted()),
        Finding(rule: .unused, side: side, parameter: parameter, messages: Set(list).subtracting(used).sorted()),
      ].filter { !$0.messages.isEmpty }
    }
  }
}

// swift-iap2 · Apache-2.0

package import Basics
package import CarPlaySession
import CommandSupport
import IAP2Capture

/// The output of an event of a CarPlay session: a line of JSON, or a line for people.
package enum CarPlayLine {
  /// The event that a head unit listens for phones.
  static let listening = EventKind(
    "carPlayListening", "The head unit listens for phones.", text: "{address}",
    EventField<String>("address", "its address with the real port"))

  /// The declarations of all events of CarPlay sessions in the order of their documentation.
  package static let declarations = [listening.declaration] + SessionEvent.declarations

  /// Prints the line of an event, if it has one.
  ///
  /// - Parameter linkCause: The cause for which the iAP2 link ended; nil while it is up.
  package static func show(
    _ event: SessionEvent, of side: SessionSide, at time: MonotonicTime, linkCause: String?, json: Bool
  ) {
    guard let record = event.record(of: side, linkCause: linkCause) else { return }
    show(record, of: side, at: time, json: json)
  }

  /// Prints the line of a record, unless it is only for scenarios.
  static func show(_ record: EventRecord, of side: SessionSide, at time: MonotonicTime, json: Bool) {
    guard record.declaration.audience == .everybody else { return }
    if json { return Output.tryJSON(EventLine(record, role: side.eventName, at: time)) }
    let (who, text) = words(of: record, of: side)
    Output.rows(["\(DecodedText.seconds(time.seconds))  \(who)  \(text)"])
  }

  /// Returns the words of a record for people: the side, padded to the width of a column, and what happened.
  package static func words(of record: EventRecord, of side: SessionSide) -> (who: String, text: String) {
    let who = side == .phone ? "phone    " : "head unit"
    let name = record.declaration.name.dropFirst("carPlay".count)
    // `InnerLink` as "inner link", `IAP` as "iAP".
    let title = name.dropFirst().reduce(into: name.prefix(1).lowercased()) { title, letter in
      title +=
        letter.isUppercase && title.last?.isLowercase == true && title.count > 1
        ? " \(letter.lowercased())" : String(letter)
    }
    return (who, "CarPlay \(title): \(record.text.printable)")
  }
}

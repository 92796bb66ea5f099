// swift-iap2 · Apache-2.0

public import Basics

/// An event of iAP2 inside a session over the air, which is a link of its own.
public enum InnerLinkEvent: Sendable, Hashable {
  /// The link is authenticated and identified.
  case identified
  /// The link ended, with the name of its disconnect cause.
  case ended(cause: String)
}

extension InnerLinkEvent {
  private enum Kinds {
    static let innerLink = EventKind(
      "carPlayInnerLink", "iAP2 inside a session over the air, a link of its own, is identified or has ended.",
      text: "{state}[: {cause}]", EventField<String>("state", "`identified` or `ended`"),
      EventField<String?>("cause", "the cause of its end"))
  }

  /// The declarations of all events.
  public static let declarations: [EventDeclaration] = [Kinds.innerLink.declaration]

  /// The record of the event.
  public var record: EventRecord {
    switch self {
    case .identified: Kinds.innerLink("identified", nil)
    case .ended(let cause): Kinds.innerLink("ended", cause)
    }
  }
}

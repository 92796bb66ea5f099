// swift-iap2 · Apache-2.0

public import Foundation

/// The decision of the app on a part of an intent.
open class INIntentResolutionResult: NSObject {
  /// The decision.
  package enum Decision: Hashable, Sendable {
    case notRequired, needsValue, unsupported, success, disambiguation, confirmationRequired
  }

  /// The decision.
  package private(set) final var decision = Decision.notRequired
  /// The values: the one that was found, or those that Siri lets the user choose from.
  package private(set) final var values: [NSObject] = []

  /// Creates the decision to go on without a value. Apps use the methods of the class.
  public required override init() { super.init() }

  fileprivate class func make(_ decision: Decision, _ values: [NSObject] = []) -> Self {
    let result = self.init()
    result.decision = decision
    result.values = values
    return result
  }

  /// Asks the user for a value.
  open class func needsValue() -> Self { make(.needsValue) }
  /// Goes on without a value.
  open class func notRequired() -> Self { make(.notRequired) }
  /// Refuses the value.
  open class func unsupported() -> Self { make(.unsupported) }
}

/// The decision on a person.
open class INPersonResolutionResult: INIntentResolutionResult {
  /// Takes a person.
  open class func success(with resolvedPerson: INPerson) -> Self { make(.success, [resolvedPerson]) }
  /// Lets the user choose a person.
  open class func disambiguation(with peopleToDisambiguate: [INPerson]) -> Self {
    make(.disambiguation, peopleToDisambiguate)
  }
  /// Asks the user whether a person is meant.
  open class func confirmationRequired(with personToConfirm: INPerson?) -> Self {
    make(.confirmationRequired, personToConfirm.map { [$0] } ?? [])
  }
}

/// The decision on a recipient.
open class INSendMessageRecipientResolutionResult: INPersonResolutionResult {}

/// The decision on a text.
open class INStringResolutionResult: INIntentResolutionResult {
  /// Takes a text.
  open class func success(with resolvedString: String) -> Self { make(.success, [resolvedString as NSString]) }
  /// Lets the user choose a text.
  open class func disambiguation(with stringsToDisambiguate: [String]) -> Self {
    make(.disambiguation, stringsToDisambiguate.map { $0 as NSString })
  }
  /// Asks the user whether a text is meant.
  open class func confirmationRequired(with stringToConfirm: String?) -> Self {
    make(.confirmationRequired, stringToConfirm.map { [$0 as NSString] } ?? [])
  }
}

/// The decision on a text that the user can say.
open class INSpeakableStringResolutionResult: INIntentResolutionResult {
  /// Takes a text.
  open class func success(with resolvedString: INSpeakableString) -> Self { make(.success, [resolvedString]) }
  /// Lets the user choose a text.
  open class func disambiguation(with stringsToDisambiguate: [INSpeakableString]) -> Self {
    make(.disambiguation, stringsToDisambiguate)
  }
  /// Asks the user whether a text is meant.
  open class func confirmationRequired(with stringToConfirm: INSpeakableString?) -> Self {
    make(.confirmationRequired, stringToConfirm.map { [$0] } ?? [])
  }
}

/// A question of Siri in place of an answer of the app.
package final class IntentQuestion: INIntentResponse {
  /// The part that Siri asks about, and the decision of the app.
  package let part: String, decision: INIntentResolutionResult.Decision

  init(_ part: String, _ decision: INIntentResolutionResult.Decision) {
    (self.part, self.decision) = (part, decision)
    super.init()
  }
}

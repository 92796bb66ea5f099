// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// The direction of an interaction.
public enum INInteractionDirection: Int, Sendable {
  /// No direction is set.
  case unspecified = 0
  /// From the user.
  case outgoing = 1
  /// To the user.
  case incoming = 2
}

/// An interaction of the user with the app, which the app donates so that Siri knows the people and conversations.
open class INInteraction: NSObject {
  /// The intent.
  public let intent: INIntent
  /// The answer; nil if there is none yet.
  public let intentResponse: INIntentResponse?
  /// The direction.
  open var direction = INInteractionDirection.unspecified
  /// The identifier.
  open var identifier = UUID().uuidString
  /// The identifier of a group of interactions, which can be deleted together.
  open var groupIdentifier: String?

  /// Creates an interaction.
  public init(intent: INIntent, response: INIntentResponse?) {
    self.intent = intent
    intentResponse = response
    super.init()
  }

  /// Donates the interaction, which never fails here.
  open func donate(completion: ((any Error)?) -> Void) {
    Self.count.add(1, ordering: .relaxed)
    completion(nil)
  }

  /// Donates the interaction, which never fails here.
  open func donate() async throws { Self.count.add(1, ordering: .relaxed) }

  private static let count = Atomic(0)
  /// The number of donated interactions of this process.
  package static var donationCount: Int { count.load(ordering: .relaxed) }
}

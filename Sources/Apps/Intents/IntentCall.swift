// swift-iap2 · Apache-2.0

import Foundation

/// An intent on its way to the app, as Siri sends it.
package enum IntentCall {
  /// The outcome of an intent.
  package enum Result: Hashable, Sendable {
    /// The app has no object for the intent.
    case noHandler
    /// The app's object does not adopt the protocol of the intent.
    case notHandled
    /// The app got the intent. It answers through the closure, at once or later.
    case sent
  }

  /// Sends an intent to the app.
  ///
  /// - Parameters:
  ///   - intent: The intent.
  ///   - provider: The provider of the app's objects.
  ///   - completion: Gets the answer of the app. An app that does not call it leaves Siri waiting.
  package static func send(
    _ intent: INIntent, to provider: any INIntentHandlerProviding, completion: @escaping (INIntentResponse) -> Void
  ) -> Result {
    guard let handler = provider.handler(for: intent) else { return .noHandler }
    switch (intent, handler) {
    case (let intent as INSendMessageIntent, let handler as any INSendMessageIntentHandling):
      send(intent, by: handler, completion)
    case (let intent as INSearchForMessagesIntent, let handler as any INSearchForMessagesIntentHandling):
      handler.handle(intent: intent, completion: completion)
    case (let intent as INSetMessageAttributeIntent, let handler as any INSetMessageAttributeIntentHandling):
      handler.handle(intent: intent, completion: completion)
    case (let intent as INStartCallIntent, let handler as any INStartCallIntentHandling):
      handler.handle(intent: intent, completion: completion)
    case (let intent as INStartAudioCallIntent, let handler as any INStartAudioCallIntentHandling):
      handler.handle(intent: intent, completion: completion)
    case (let intent as INSearchCallHistoryIntent, let handler as any INSearchCallHistoryIntentHandling):
      handler.handle(intent: intent, completion: completion)
    case (let intent as INPlayMediaIntent, let handler as any INPlayMediaIntentHandling):
      handler.handle(intent: intent, completion: completion)
    default:
      return .notHandled
    }
    return .sent
  }

  /// Asks for the parts of a message, then for the readiness, and then sends it. A decision other than a value ends it
  /// with a question of Siri, and a failure of the confirmation is the answer.
  private static func send(
    _ intent: INSendMessageIntent, by handler: any INSendMessageIntentHandling,
    _ completion: @escaping (INIntentResponse) -> Void
  ) {
    handler.resolveRecipients(for: intent) { results in
      if let question = question("recipients", results) { return completion(question) }
      let people = results.flatMap { $0.values.compactMap { $0 as? INPerson } }
      handler.resolveContent(for: intent) { content in
        if let question = question("content", [content]) { return completion(question) }
        handler.resolveSpeakableGroupName(for: intent) { group in
          if let question = question("speakableGroupName", [group]) { return completion(question) }
          let resolved = INSendMessageIntent(
            recipients: people.isEmpty ? intent.recipients : people, outgoingMessageType: intent.outgoingMessageType,
            content: (content.values.first as? NSString).map { "\($0)" } ?? intent.content,
            speakableGroupName: group.values.first as? INSpeakableString ?? intent.speakableGroupName,
            conversationIdentifier: intent.conversationIdentifier, serviceName: intent.serviceName,
            sender: intent.sender, attachments: intent.attachments)
          handler.confirm(intent: resolved) { answer in
            guard answer.code == .ready || answer.code == .success else { return completion(answer) }
            handler.handle(intent: resolved, completion: completion)
          }
        }
      }
    }
  }

  /// Returns Siri's question for the first decision that is no value.
  private static func question(_ part: String, _ results: [INIntentResolutionResult]) -> IntentQuestion? {
    results.first { $0.decision != .success && $0.decision != .notRequired }.map { IntentQuestion(part, $0.decision) }
  }
}

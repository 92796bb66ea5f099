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
      handler.handle(intent: intent, completion: completion)
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
}

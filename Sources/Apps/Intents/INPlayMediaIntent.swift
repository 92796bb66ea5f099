// swift-iap2 · Apache-2.0

public import Foundation

// Unverified: the raw values of the results, which no public source of this project lists.

/// A content of the app.
open class INMediaItem: NSObject {
  /// The app's identifier.
  public let identifier: String?
  /// The title.
  public let title: String?

  /// Creates a content.
  package init(identifier: String?, title: String?) {
    self.identifier = identifier
    self.title = title
    super.init()
  }
}

/// Plays a content. The assistant row of a list sends it.
open class INPlayMediaIntent: INIntent {
  /// The contents.
  public let mediaItems: [INMediaItem]?

  /// Creates an intent.
  package init(mediaItems: [INMediaItem]?) {
    self.mediaItems = mediaItems
    super.init()
  }
}

/// A result of ``INPlayMediaIntent``.
public enum INPlayMediaIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app shows the content.
  case continueInApp = 2
  /// The app is not done.
  case inProgress = 3
  /// The content plays.
  case success = 4
  /// The app plays the content in the background.
  case handleInApp = 5
  /// The content could not be played.
  case failure = 6
  /// The user must open the app.
  case failureRequiringAppLaunch = 7
}

/// The answer to ``INPlayMediaIntent``.
open class INPlayMediaIntentResponse: INIntentResponse {
  /// The result.
  public let code: INPlayMediaIntentResponseCode

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INPlayMediaIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INPlayMediaIntent``.
public protocol INPlayMediaIntentHandling: NSObjectProtocol {
  /// Plays a content, and gives the answer to the closure.
  func handle(intent: INPlayMediaIntent, completion: @escaping (INPlayMediaIntentResponse) -> Void)
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INPlayMediaIntent) async -> INPlayMediaIntentResponse
}

extension INPlayMediaIntentHandling {
  /// Asks the other form.
  public func handle(intent: INPlayMediaIntent, completion: @escaping (INPlayMediaIntentResponse) -> Void) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INPlayMediaIntent) async -> INPlayMediaIntentResponse {
    INPlayMediaIntentResponse(code: .failure, userActivity: nil)
  }
}

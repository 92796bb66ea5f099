// swift-iap2 · Apache-2.0

public import Foundation

// Unverified: the raw values of the results, which no public source of this project lists.

/// Begins a call.
open class INStartCallIntent: INIntent {
  /// The people to call.
  public let contacts: [INPerson]?

  /// Creates an intent.
  package init(contacts: [INPerson]?) {
    self.contacts = contacts
    super.init()
  }
}

/// A result of ``INStartCallIntent``.
public enum INStartCallIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app begins the call.
  case continueInApp = 2
  /// The app must ask the user.
  case userConfirmationRequired = 3
  /// The call could not begin.
  case failure = 4
  /// The user must open the app.
  case failureRequiringAppLaunch = 5
}

/// The answer to ``INStartCallIntent``.
open class INStartCallIntentResponse: INIntentResponse {
  /// The result.
  public let code: INStartCallIntentResponseCode

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INStartCallIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INStartCallIntent``.
public protocol INStartCallIntentHandling: NSObjectProtocol {
  /// Begins a call, and gives the answer to the closure.
  func handle(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void)
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INStartCallIntent) async -> INStartCallIntentResponse
}

/// Begins a call with sound only, before iOS 13.
open class INStartAudioCallIntent: INIntent {
  /// The people to call.
  public let contacts: [INPerson]?

  /// Creates an intent.
  package init(contacts: [INPerson]?) {
    self.contacts = contacts
    super.init()
  }
}

/// A result of ``INStartAudioCallIntent``.
public enum INStartAudioCallIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app begins the call.
  case continueInApp = 2
  /// The call could not begin.
  case failure = 3
  /// The user must open the app.
  case failureRequiringAppLaunch = 4
}

/// The answer to ``INStartAudioCallIntent``.
open class INStartAudioCallIntentResponse: INIntentResponse {
  /// The result.
  public let code: INStartAudioCallIntentResponseCode

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INStartAudioCallIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INStartAudioCallIntent``.
public protocol INStartAudioCallIntentHandling: NSObjectProtocol {
  /// Begins a call, and gives the answer to the closure.
  func handle(intent: INStartAudioCallIntent, completion: @escaping (INStartAudioCallIntentResponse) -> Void)
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INStartAudioCallIntent) async -> INStartAudioCallIntentResponse
}

/// Searches for calls.
open class INSearchCallHistoryIntent: INIntent {
  /// The other side.
  public let recipient: INPerson?

  /// Creates an intent.
  package init(recipient: INPerson?) {
    self.recipient = recipient
    super.init()
  }
}

/// A result of ``INSearchCallHistoryIntent``.
public enum INSearchCallHistoryIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app shows the calls.
  case continueInApp = 2
  /// The app could not search.
  case failure = 3
  /// The user must open the app.
  case failureRequiringAppLaunch = 4
}

/// The answer to ``INSearchCallHistoryIntent``.
open class INSearchCallHistoryIntentResponse: INIntentResponse {
  /// The result.
  public let code: INSearchCallHistoryIntentResponseCode

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INSearchCallHistoryIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INSearchCallHistoryIntent``.
public protocol INSearchCallHistoryIntentHandling: NSObjectProtocol {
  /// Searches for calls, and gives the answer to the closure.
  func handle(intent: INSearchCallHistoryIntent, completion: @escaping (INSearchCallHistoryIntentResponse) -> Void)
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INSearchCallHistoryIntent) async -> INSearchCallHistoryIntentResponse
}

extension INStartCallIntentHandling {
  /// Asks the other form.
  public func handle(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INStartCallIntent) async -> INStartCallIntentResponse {
    INStartCallIntentResponse(code: .failure, userActivity: nil)
  }
}

extension INStartAudioCallIntentHandling {
  /// Asks the other form.
  public func handle(intent: INStartAudioCallIntent, completion: @escaping (INStartAudioCallIntentResponse) -> Void) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INStartAudioCallIntent) async -> INStartAudioCallIntentResponse {
    INStartAudioCallIntentResponse(code: .failure, userActivity: nil)
  }
}

extension INSearchCallHistoryIntentHandling {
  /// Asks the other form.
  public func handle(
    intent: INSearchCallHistoryIntent, completion: @escaping (INSearchCallHistoryIntentResponse) -> Void
  ) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INSearchCallHistoryIntent) async -> INSearchCallHistoryIntentResponse {
    INSearchCallHistoryIntentResponse(code: .failure, userActivity: nil)
  }
}

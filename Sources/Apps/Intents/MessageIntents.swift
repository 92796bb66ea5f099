// swift-iap2 · Apache-2.0

public import Foundation

// Unverified: the raw values of the results, which no public source of this project lists.

// A messaging app needs all three intents: send, search and set an attribute.

/// A mark of a message.
public enum INMessageAttribute: Int, Sendable {
  /// The mark is not known.
  case unknown = 0
  /// The message is read.
  case read = 1
  /// The message is not read.
  case unread = 2
  /// The message is flagged.
  case flagged = 3
  /// The message is not flagged.
  case unflagged = 4
  /// The message was played.
  case played = 5
}

/// Marks of messages.
public struct INMessageAttributeOptions: OptionSet, Sendable {
  /// The flags.
  public let rawValue: UInt

  /// Creates a set of flags.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Read messages.
  public static let read = INMessageAttributeOptions(rawValue: 1 << 0)
  /// Messages that are not read.
  public static let unread = INMessageAttributeOptions(rawValue: 1 << 1)
  /// Flagged messages.
  public static let flagged = INMessageAttributeOptions(rawValue: 1 << 2)
  /// Messages that are not flagged.
  public static let unflagged = INMessageAttributeOptions(rawValue: 1 << 3)
  /// Messages that were played.
  public static let played = INMessageAttributeOptions(rawValue: 1 << 4)
}

/// A message.
open class INMessage: NSObject {
  /// The app's identifier.
  public let identifier: String
  /// The text. Siri reads it; no screen of a car shows it.
  public let content: String?
  /// The time.
  public let dateSent: Date?
  /// The sender.
  public let sender: INPerson?
  /// The recipients.
  public let recipients: [INPerson]?

  /// Creates a message.
  public init(
    identifier: String, content: String?, dateSent: Date?, sender: INPerson?, recipients: [INPerson]?
  ) {
    self.identifier = identifier
    self.content = content
    self.dateSent = dateSent
    self.sender = sender
    self.recipients = recipients
    super.init()
  }
}

/// Sends a message.
open class INSendMessageIntent: INIntent {
  /// The recipients.
  public let recipients: [INPerson]?
  /// The text.
  public let content: String?
  /// The name of a group.
  public let speakableGroupName: INSpeakableString?
  /// The app's identifier of the conversation.
  public let conversationIdentifier: String?
  /// The name of the service.
  public let serviceName: String?
  /// The sender.
  public let sender: INPerson?

  /// Creates an intent.
  public init(
    recipients: [INPerson]?, content: String?, speakableGroupName: INSpeakableString?,
    conversationIdentifier: String?, serviceName: String?, sender: INPerson?
  ) {
    self.recipients = recipients
    self.content = content
    self.speakableGroupName = speakableGroupName
    self.conversationIdentifier = conversationIdentifier
    self.serviceName = serviceName
    self.sender = sender
    super.init()
  }
}

/// A result of an intent of messages.
public enum INSendMessageIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app is not done.
  case inProgress = 2
  /// The message is sent.
  case success = 3
  /// The message could not be sent.
  case failure = 4
  /// The user must open the app.
  case failureRequiringAppLaunch = 5
  /// The service is not reached.
  case failureMessageServiceNotAvailable = 6
}

/// The answer to ``INSendMessageIntent``.
open class INSendMessageIntentResponse: INIntentResponse {
  /// The result.
  public let code: INSendMessageIntentResponseCode

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INSendMessageIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INSendMessageIntent``.
public protocol INSendMessageIntentHandling: NSObjectProtocol {
  /// Sends a message, and gives the answer to the closure.
  func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void)
}

/// Searches for messages, such as those that are not read.
open class INSearchForMessagesIntent: INIntent {
  /// The senders.
  public let senders: [INPerson]?
  /// The recipients.
  public let recipients: [INPerson]?
  /// Texts.
  public let searchTerms: [String]?
  /// The marks.
  public let attributes: INMessageAttributeOptions
  /// The app's identifiers of messages.
  public let identifiers: [String]?

  /// Creates an intent.
  package init(
    recipients: [INPerson]?, senders: [INPerson]?, searchTerms: [String]?, attributes: INMessageAttributeOptions,
    identifiers: [String]?
  ) {
    self.recipients = recipients
    self.senders = senders
    self.searchTerms = searchTerms
    self.attributes = attributes
    self.identifiers = identifiers
    super.init()
  }
}

/// A result of ``INSearchForMessagesIntent``.
public enum INSearchForMessagesIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app is not done.
  case inProgress = 2
  /// The messages are found.
  case success = 3
  /// The app could not search.
  case failure = 4
  /// The user must open the app.
  case failureRequiringAppLaunch = 5
}

/// The answer to ``INSearchForMessagesIntent``.
open class INSearchForMessagesIntentResponse: INIntentResponse {
  /// The result.
  public let code: INSearchForMessagesIntentResponseCode
  /// The messages.
  open var messages: [INMessage]?

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INSearchForMessagesIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INSearchForMessagesIntent``.
public protocol INSearchForMessagesIntentHandling: NSObjectProtocol {
  /// Searches for messages, and gives the answer to the closure.
  func handle(intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void)
}

/// Marks messages, such as those that Siri has read.
open class INSetMessageAttributeIntent: INIntent {
  /// The app's identifiers of the messages.
  public let identifiers: [String]?
  /// The mark.
  public let attribute: INMessageAttribute

  /// Creates an intent.
  package init(identifiers: [String]?, attribute: INMessageAttribute) {
    self.identifiers = identifiers
    self.attribute = attribute
    super.init()
  }
}

/// A result of ``INSetMessageAttributeIntent``.
public enum INSetMessageAttributeIntentResponseCode: Int, Sendable {
  /// No result is set.
  case unspecified = 0
  /// The app is ready.
  case ready = 1
  /// The app is not done.
  case inProgress = 2
  /// The messages are marked.
  case success = 3
  /// The messages could not be marked.
  case failure = 4
  /// The user must open the app.
  case failureRequiringAppLaunch = 5
}

/// The answer to ``INSetMessageAttributeIntent``.
open class INSetMessageAttributeIntentResponse: INIntentResponse {
  /// The result.
  public let code: INSetMessageAttributeIntentResponseCode

  /// Creates an answer. The activity is nil, because Linux has no `NSUserActivity`.
  public init(code: INSetMessageAttributeIntentResponseCode, userActivity: Any?) {
    self.code = code
    super.init()
  }
}

/// A handler of ``INSetMessageAttributeIntent``.
public protocol INSetMessageAttributeIntentHandling: NSObjectProtocol {
  /// Marks messages, and gives the answer to the closure.
  func handle(
    intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void)
}

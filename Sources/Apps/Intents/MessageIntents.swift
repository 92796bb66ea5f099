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

/// The kind of a message.
public enum INMessageType: Int, Sendable {
  /// No kind is set.
  case unspecified = 0
  /// A text.
  case text = 1
  /// A recording.
  case audio = 2
  /// Data that only the app reads.
  case digitalTouch = 3
  /// Handwriting.
  case handwriting = 4
  /// A sticker.
  case sticker = 5
}

/// The kind of a message that is sent.
public enum INOutgoingMessageType: Int, Sendable {
  /// No kind is set.
  case unknown = 0
  /// A text.
  case outgoingMessageText = 1
  /// A recording.
  case outgoingMessageAudio = 2
}

/// A file that is sent with a message. The emulated Siri sends none.
open class INSendMessageAttachment: NSObject {}

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

  /// The app's identifier of the conversation.
  public let conversationIdentifier: String?
  /// The name of the group.
  public let groupName: INSpeakableString?
  /// The kind.
  public let messageType: INMessageType

  /// Creates a message.
  public convenience init(
    identifier: String, content: String?, dateSent: Date?, sender: INPerson?, recipients: [INPerson]?
  ) {
    self.init(
      identifier: identifier, conversationIdentifier: nil, content: content, dateSent: dateSent, sender: sender,
      recipients: recipients, groupName: nil, messageType: .unspecified)
  }

  /// Creates a message of a conversation.
  public convenience init(
    identifier: String, conversationIdentifier: String?, content: String?, dateSent: Date?, sender: INPerson?,
    recipients: [INPerson]?, messageType: INMessageType
  ) {
    self.init(
      identifier: identifier, conversationIdentifier: conversationIdentifier, content: content, dateSent: dateSent,
      sender: sender, recipients: recipients, groupName: nil, messageType: messageType)
  }

  /// Creates a message of a group.
  public init(
    identifier: String, conversationIdentifier: String?, content: String?, dateSent: Date?, sender: INPerson?,
    recipients: [INPerson]?, groupName: INSpeakableString?, messageType: INMessageType
  ) {
    self.identifier = identifier
    self.conversationIdentifier = conversationIdentifier
    self.groupName = groupName
    self.messageType = messageType
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

  /// The kind of the message.
  public let outgoingMessageType: INOutgoingMessageType
  /// The files.
  public let attachments: [INSendMessageAttachment]?

  /// Creates an intent.
  public convenience init(
    recipients: [INPerson]?, content: String?, speakableGroupName: INSpeakableString?,
    conversationIdentifier: String?, serviceName: String?, sender: INPerson?
  ) {
    self.init(
      recipients: recipients, outgoingMessageType: .outgoingMessageText, content: content,
      speakableGroupName: speakableGroupName, conversationIdentifier: conversationIdentifier, serviceName: serviceName,
      sender: sender, attachments: nil)
  }

  /// Creates an intent with a kind of message and files.
  public init(
    recipients: [INPerson]?, outgoingMessageType: INOutgoingMessageType, content: String?,
    speakableGroupName: INSpeakableString?, conversationIdentifier: String?, serviceName: String?, sender: INPerson?,
    attachments: [INSendMessageAttachment]?
  ) {
    self.recipients = recipients
    self.outgoingMessageType = outgoingMessageType
    self.attachments = attachments
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
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INSendMessageIntent) async -> INSendMessageIntentResponse
  /// Answers ready or success if the message can be sent. After any other answer it is not sent.
  func confirm(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void)
  /// Does the same, and returns the answer.
  func confirm(intent: INSendMessageIntent) async -> INSendMessageIntentResponse
  /// Decides for each recipient.
  func resolveRecipients(
    for intent: INSendMessageIntent, with completion: @escaping ([INSendMessageRecipientResolutionResult]) -> Void)
  /// Does the same, and returns the answers.
  func resolveRecipients(for intent: INSendMessageIntent) async -> [INSendMessageRecipientResolutionResult]
  /// Decides on the text.
  func resolveContent(for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void)
  /// Does the same, and returns the answer.
  func resolveContent(for intent: INSendMessageIntent) async -> INStringResolutionResult
  /// Decides on the name of the group.
  func resolveSpeakableGroupName(
    for intent: INSendMessageIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void)
  /// Does the same, and returns the answer.
  func resolveSpeakableGroupName(for intent: INSendMessageIntent) async -> INSpeakableStringResolutionResult
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
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse
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
  /// Does the same, and returns the answer. An app implements one of the two forms.
  func handle(intent: INSetMessageAttributeIntent) async -> INSetMessageAttributeIntentResponse
}

extension INSendMessageIntentHandling {
  /// Asks the other form.
  public func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
    INSendMessageIntentResponse(code: .failure, userActivity: nil)
  }
}

extension INSearchForMessagesIntentHandling {
  /// Asks the other form.
  public func handle(
    intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void
  ) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INSearchForMessagesIntent) async -> INSearchForMessagesIntentResponse {
    INSearchForMessagesIntentResponse(code: .failure, userActivity: nil)
  }
}

extension INSetMessageAttributeIntentHandling {
  /// Asks the other form.
  public func handle(
    intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
  ) {
    AsyncForm.answer(completion, self, intent) { await $0.handle(intent: $1) }
  }
  /// Returns a failure: the app implements neither form.
  public func handle(intent: INSetMessageAttributeIntent) async -> INSetMessageAttributeIntentResponse {
    INSetMessageAttributeIntentResponse(code: .failure, userActivity: nil)
  }
}

extension INSendMessageIntentHandling {
  /// Asks the other form.
  public func confirm(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
    AsyncForm.answer(completion, self, intent) { await $0.confirm(intent: $1) }
  }
  /// Returns ready.
  public func confirm(intent: INSendMessageIntent) async -> INSendMessageIntentResponse {
    INSendMessageIntentResponse(code: .ready, userActivity: nil)
  }
  /// Asks the other form.
  public func resolveRecipients(
    for intent: INSendMessageIntent, with completion: @escaping ([INSendMessageRecipientResolutionResult]) -> Void
  ) {
    AsyncForm.answer(completion, self, intent) { await $0.resolveRecipients(for: $1) }
  }
  /// Takes the recipients as they are.
  public func resolveRecipients(for intent: INSendMessageIntent) async -> [INSendMessageRecipientResolutionResult] {
    []
  }
  /// Asks the other form.
  public func resolveContent(
    for intent: INSendMessageIntent, with completion: @escaping (INStringResolutionResult) -> Void
  ) {
    AsyncForm.answer(completion, self, intent) { await $0.resolveContent(for: $1) }
  }
  /// Takes the text as it is.
  public func resolveContent(for intent: INSendMessageIntent) async -> INStringResolutionResult { .notRequired() }
  /// Asks the other form.
  public func resolveSpeakableGroupName(
    for intent: INSendMessageIntent, with completion: @escaping (INSpeakableStringResolutionResult) -> Void
  ) {
    AsyncForm.answer(completion, self, intent) { await $0.resolveSpeakableGroupName(for: $1) }
  }
  /// Takes the name of the group as it is.
  public func resolveSpeakableGroupName(for intent: INSendMessageIntent) async -> INSpeakableStringResolutionResult {
    .notRequired()
  }
}

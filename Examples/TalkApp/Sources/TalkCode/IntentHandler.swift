// swift-iap2 · Apache-2.0

import Intents

/// The object that Siri asks: it reads, marks and sends messages, and begins calls.
public final class IntentHandler: INExtension {
  private let talk: Talk

  init(_ talk: Talk) {
    self.talk = talk
    super.init()
  }

  /// Creates the handler of the app, on the main thread.
  public convenience override init() { self.init(MainActor.assumeIsolated { .shared }) }
}

extension IntentHandler {
  /// Siri calls the app in the main queue.
  private func onMain<Result: Sendable>(_ body: @MainActor (Talk) -> Result) -> Result {
    let talk = talk
    return MainActor.assumeIsolated { body(talk) }
  }
}

extension IntentHandler: INSearchForMessagesIntentHandling {
  public func handle(
    intent: INSearchForMessagesIntent, completion: @escaping (INSearchForMessagesIntentResponse) -> Void
  ) {
    let answer = INSearchForMessagesIntentResponse(code: .success, userActivity: nil)
    let isForUnread = intent.attributes.contains(.unread)
    let wanted = onMain { $0.messages.filter { !isForUnread || !$0.isRead } }
    answer.messages = wanted.map { message in
      INMessage(
        identifier: message.id, content: message.text, dateSent: nil, sender: INPerson(message.person), recipients: nil)
    }
    completion(answer)
  }
}

extension IntentHandler: INSetMessageAttributeIntentHandling {
  public func handle(
    intent: INSetMessageAttributeIntent, completion: @escaping (INSetMessageAttributeIntentResponse) -> Void
  ) {
    let ids = intent.identifiers ?? []
    if intent.attribute == .read { onMain { $0.markAsRead(ids) } }
    completion(INSetMessageAttributeIntentResponse(code: .success, userActivity: nil))
  }
}

extension IntentHandler: INSendMessageIntentHandling {
  public func handle(intent: INSendMessageIntent, completion: @escaping (INSendMessageIntentResponse) -> Void) {
    guard let text = intent.content, let name = intent.recipients?.first?.displayName else {
      return completion(INSendMessageIntentResponse(code: .failure, userActivity: nil))
    }
    onMain { $0.send(text, to: name) }
    completion(INSendMessageIntentResponse(code: .success, userActivity: nil))
  }
}

extension IntentHandler: INStartCallIntentHandling {
  public func handle(intent: INStartCallIntent, completion: @escaping (INStartCallIntentResponse) -> Void) {
    let name = intent.contacts?.first?.displayName ?? ""
    guard let person = Person.all.first(where: { $0.name.hasPrefix(name) }) else {
      return completion(INStartCallIntentResponse(code: .failure, userActivity: nil))
    }
    onMain { $0.calls.call(person) }
    completion(INStartCallIntentResponse(code: .continueInApp, userActivity: nil))
  }
}

extension INPerson {
  convenience init(_ person: Person) {
    self.init(
      personHandle: INPersonHandle(value: person.number, type: .phoneNumber), nameComponents: nil,
      displayName: person.name, image: nil, contactIdentifier: nil, customIdentifier: nil)
  }
}

// swift-iap2 · Apache-2.0

@_exported public import Foundation

/// A request of the user to the app through Siri.
open class INIntent: NSObject {
  /// The identifier.
  public let identifier: String? = UUID().uuidString

  private var images: [String: INImage] = [:]

  /// Sets the image of a part, such as the sender's.
  open func setImage(_ image: INImage?, forParameterNamed parameterName: String) { images[parameterName] = image }
  /// Returns the image of a part.
  open func image(forParameterNamed parameterName: String) -> INImage? { images[parameterName] }

  /// Creates an intent. Siri makes intents, and apps get them.
  package override init() { super.init() }
}

/// The answer of the app.
open class INIntentResponse: NSObject {
  /// Creates an answer. Apps create those of the classes below.
  package override init() { super.init() }
}

/// A provider of objects that handle intents: an extension, or the delegate of the app.
public protocol INIntentHandlerProviding: NSObjectProtocol {
  /// Returns the object that handles an intent; nil if the app does not handle it.
  func handler(for intent: INIntent) -> Any?
}

/// The extension of the app that Siri asks.
open class INExtension: NSObject, INIntentHandlerProviding {
  /// Creates an extension.
  public override init() { super.init() }

  /// Returns the object that handles an intent: the extension itself, unless the app returns another one.
  open func handler(for intent: INIntent) -> Any? { self }
}

/// A text that the user can say.
open class INSpeakableString: NSObject {
  /// The text.
  public let spokenPhrase: String

  /// Creates a text.
  public init(spokenPhrase: String) {
    self.spokenPhrase = spokenPhrase
    super.init()
  }
}

/// A way to reach a person.
open class INPersonHandle: NSObject {
  /// The kind of a handle.
  public enum HandleType: Int, Sendable {
    /// The kind is not known.
    case unknown = 0
    /// An address of e-mail.
    case emailAddress = 1
    /// The number of a telephone.
    case phoneNumber = 2
  }

  /// The text.
  public let value: String?
  /// The kind.
  public let type: INPersonHandle.HandleType

  /// Creates a handle.
  public init(value: String?, type: INPersonHandle.HandleType) {
    self.value = value
    self.type = type
    super.init()
  }
}

/// An image for Siri. Only its name is kept.
open class INImage: NSObject {
  /// The name in the app's bundle; empty for an image of data.
  package let name: String

  /// Creates an image of the bytes of a file.
  public init(imageData: Data) {
    name = ""
    super.init()
  }

  /// Creates an image of the app's bundle.
  public init(named name: String) {
    self.name = name
    super.init()
  }
}

/// A person.
open class INPerson: NSObject {
  /// The way to reach the person.
  public let personHandle: INPersonHandle?
  /// The parts of the name.
  public let nameComponents: PersonNameComponents?
  /// The name that is shown.
  public let displayName: String
  /// The image.
  public let image: INImage?
  /// The identifier in the phone's contacts.
  public let contactIdentifier: String?
  /// The app's identifier.
  public let customIdentifier: String?

  /// Whether the person is the user.
  public let isMe: Bool

  /// Creates a person. Without a name to show, it is that of the parts or of the handle.
  public convenience init(
    personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
    contactIdentifier: String?, customIdentifier: String?
  ) {
    self.init(
      personHandle: personHandle, nameComponents: nameComponents, displayName: displayName, image: image,
      contactIdentifier: contactIdentifier, customIdentifier: customIdentifier, isMe: false)
  }

  /// Creates a person, who may be the user. Without a name to show, it is that of the parts or of the handle.
  public init(
    personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
    contactIdentifier: String?, customIdentifier: String?, isMe: Bool
  ) {
    let parts = [nameComponents?.givenName, nameComponents?.familyName].compactMap { $0 }
    self.personHandle = personHandle
    self.nameComponents = nameComponents
    self.displayName = displayName ?? (parts.isEmpty ? personHandle.value ?? "" : parts.joined(separator: " "))
    self.image = image
    self.contactIdentifier = contactIdentifier
    self.customIdentifier = customIdentifier
    self.isMe = isMe
    super.init()
  }
}

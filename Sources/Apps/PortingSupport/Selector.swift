// swift-iap2 · Apache-2.0

public import Foundation

/// A method of a type, in the place of a selector of Objective-C: `Selector(Session.accessoryDidConnect(_:))`.
///
/// `iap2 port` writes it for `#selector`. It names a method of a type and never of an object: a method of an object,
/// such as `self.accessoryDidConnect`, keeps its object alive, so an observer with it would never be released.
///
/// Calls of a method of the main actor must come on the main thread, where this module posts its notifications.
public struct Selector: Sendable {
  /// Calls the method on an object. The result is false if the object or the argument has another type.
  package let call: @Sendable (_ object: AnyObject, _ argument: Any?) -> Bool

  /// Creates a selector of a method that takes a notification.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> (Notification) -> Void) {
    self.init(of: Target.self) { target, argument in
      guard let notification = argument as? Notification else { return false }
      method(target)(notification)
      return true
    }
  }

  /// Creates a selector of a method that takes a notification as an object.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> (NSNotification) -> Void) {
    self.init(of: Target.self) { target, argument in
      guard let notification = argument as? Notification else { return false }
      method(target)(notification as NSNotification)
      return true
    }
  }

  /// Creates a selector of a method that takes a timer.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> (Timer) -> Void) {
    self.init(of: Target.self) { target, argument in
      guard let timer = argument as? Timer else { return false }
      method(target)(timer)
      return true
    }
  }

  /// Creates a selector of a method that takes any sender.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> (Any) -> Void) {
    self.init(of: Target.self) { target, argument in
      guard let argument else { return false }
      method(target)(argument)
      return true
    }
  }

  /// Creates a selector of a method that takes a sender, such as a button.
  public init<Target: AnyObject, Sender: AnyObject>(_ method: @escaping (Target) -> (Sender) -> Void) {
    self.init(of: Target.self) { target, argument in
      guard let sender = argument as? Sender else { return false }
      method(target)(sender)
      return true
    }
  }

  /// Creates a selector of a method without arguments.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> () -> Void) {
    self.init(of: Target.self) { target, _ in
      method(target)()
      return true
    }
  }

  private init<Target: AnyObject>(of type: Target.Type, _ body: @escaping (Target, Any?) -> Bool) {
    // Unsafe: a method of a type has captured nothing. It runs where the notification or the timer calls it, as on iOS.
    nonisolated(unsafe) let body = body
    call = { object, argument in
      guard let target = object as? Target else { return false }
      return unsafe body(target, argument)
    }
  }
}

// Methods of the main actor, in source of Swift 6.
extension Selector {
  /// Creates a selector of a method of the main actor that takes a notification.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor (Notification) -> Void) {
    self.init(onMain: method) { $0 as? Notification }
  }

  /// Creates a selector of a method of the main actor that takes a notification as an object.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor (NSNotification) -> Void) {
    self.init(onMain: method) { ($0 as? Notification).map { $0 as NSNotification } }
  }

  /// Creates a selector of a method of the main actor that takes a timer.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor (Timer) -> Void) {
    self.init(onMain: method) { $0 as? Timer }
  }

  /// Creates a selector of a method of the main actor that takes any sender.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor (Any) -> Void) {
    self.init(onMain: method) { $0 }
  }

  /// Creates a selector of a method of the main actor that takes a sender, such as a button.
  public init<Target: AnyObject, Sender: AnyObject>(_ method: @escaping (Target) -> @MainActor (Sender) -> Void) {
    self.init(onMain: method) { $0 as? Sender }
  }

  /// Creates a selector of a method of the main actor without arguments.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor () -> Void) {
    self.init(of: Target.self) { target, _ in
      let bound = method(target)
      MainActor.assumeIsolated { bound() }
      return true
    }
  }

  private init<Target: AnyObject, Argument>(
    onMain method: @escaping (Target) -> @MainActor (Argument) -> Void, _ convert: @escaping (Any?) -> Argument?
  ) {
    self.init(of: Target.self) { target, argument in
      guard let argument = convert(argument) else { return false }
      let bound = method(target)
      // Unsafe: nothing leaves this thread; `assumeIsolated` stops the program on any other one than the main thread.
      nonisolated(unsafe) let value = argument
      MainActor.assumeIsolated { unsafe bound(value) }
      return true
    }
  }
}

extension Selector {
  /// A method of an object would keep the object alive.
  @available(*, unavailable, message: "write the type, not an object: Selector(Type.method(_:))")
  public init(_ method: @escaping (Notification) -> Void) { preconditionFailure() }

  /// A method of an object would keep the object alive.
  @available(*, unavailable, message: "write the type, not an object: Selector(Type.method(_:))")
  public init(_ method: @escaping (NSNotification) -> Void) { preconditionFailure() }

  /// A method of an object would keep the object alive.
  @available(*, unavailable, message: "write the type, not an object: Selector(Type.method(_:))")
  public init(_ method: @escaping (Timer) -> Void) { preconditionFailure() }

  /// Linux finds no method by a text.
  @available(*, unavailable, message: "Linux finds no method by a text; write Selector(Type.method(_:))")
  public init(_ name: String) { preconditionFailure() }
}

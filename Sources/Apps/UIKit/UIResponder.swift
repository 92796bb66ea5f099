// swift-iap2 · Apache-2.0

public import Foundation

/// The base of views, controllers, scenes and delegates.
@preconcurrency @MainActor open class UIResponder: NSObject {
  /// Creates a responder.
  public override init() { super.init() }

  /// The responder that gets what this one does not handle.
  open var next: UIResponder? { nil }
}

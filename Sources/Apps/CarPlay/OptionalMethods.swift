// swift-iap2 · Apache-2.0

package import Foundation

/// A call of a delegate's method whose implementation is observed.
struct ObservedCall {
  let delegate: ObjectIdentifier
  let method: String
  var isImplemented = true
}

extension CarPlayModule {
  /// Calls a method of a delegate and returns whether the delegate implements it.
  ///
  /// Optional methods are defaults in protocol extensions, and each default calls ``unimplemented(_:of:)``. Swift on
  /// Linux has no other way to ask an object for its methods. A method that a subclass adds to a conforming class is
  /// not an implementation of the protocol, so it is not called and counts as unimplemented.
  ///
  /// - Parameters:
  ///   - method: The name of the method, as `#function` spells it.
  ///   - delegate: The delegate. `nil` implements nothing.
  ///   - call: The call.
  package static func implements<Delegate>(
    _ method: String, of delegate: Delegate?, call: (Delegate) -> Void
  ) -> Bool {
    guard let delegate else { return false }
    observedCalls.append(ObservedCall(delegate: ObjectIdentifier(delegate as AnyObject), method: method))
    call(delegate)
    return observedCalls.removeLast().isImplemented
  }

  /// Notes that the default body of an optional method ran.
  ///
  /// A default that runs outside ``implements(_:of:call:)``, or for another delegate or method, leaves the notes as they
  /// are. Calls nest: a delegate may change templates, and the host then calls other delegates.
  package static func unimplemented(_ method: String = #function, of delegate: any NSObjectProtocol) {
    guard
      let index = observedCalls.lastIndex(where: {
        $0.delegate == ObjectIdentifier(delegate) && $0.method == method
      })
    else { return }
    observedCalls[index].isImplemented = false
  }
}

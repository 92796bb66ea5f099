// swift-iap2 · Apache-2.0

package import Foundation
import Synchronization

/// The optional methods of delegates, which are defaults in protocol extensions.
///
/// Swift on Linux cannot ask an object for its methods, so each default says that it ran. A method that a subclass adds
/// to a conforming class is not an implementation of the protocol, so it is not called and counts as missing.
package enum OptionalMethod {
  /// A call whose default body may run.
  private struct Call {
    let delegate: ObjectIdentifier
    let method: String
    var isImplemented = true
  }

  /// The calls under way, the innermost last.
  private static let calls = Mutex<[Call]>([])

  /// Calls a method of a delegate on the main thread, and returns whether the delegate implements it.
  ///
  /// - Parameters:
  ///   - method: The name of the method, as `#function` spells it.
  ///   - delegate: The delegate. `nil` implements nothing.
  ///   - call: The call.
  @MainActor
  package static func isImplemented<Delegate>(
    _ method: String, by delegate: Delegate?, call: (Delegate) -> Void
  ) -> Bool {
    guard let delegate else { return false }
    let observed = Call(delegate: ObjectIdentifier(delegate as AnyObject), method: method)
    calls.withLock { $0.append(observed) }
    call(delegate)
    return calls.withLock { $0.removeLast().isImplemented }
  }

  /// Notes that the default body of an optional method ran.
  ///
  /// A default that runs outside ``isImplemented(_:by:call:)``, or for another delegate or method, leaves the notes as
  /// they are. Calls nest: a delegate may change templates, and the host then calls other delegates.
  package static func isMissing(_ method: String = #function, in delegate: any NSObjectProtocol) {
    let delegate = ObjectIdentifier(delegate)
    calls.withLock { calls in
      guard let index = calls.lastIndex(where: { $0.delegate == delegate && $0.method == method }) else { return }
      calls[index].isImplemented = false
    }
  }
}

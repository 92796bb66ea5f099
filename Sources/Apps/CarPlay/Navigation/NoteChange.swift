// swift-iap2 · Apache-2.0

import Foundation

extension NSObject {
  /// Reports to the system that a property of the object changed. An observer of a property gives its name.
  @MainActor
  func noteChange(_ name: StaticString = #function) { CarPlayModule.changed(self, name) }

  /// Reports to the system that the app creates the object, as the last part of its initializer.
  @MainActor
  func noteCreation() { CarPlayModule.system.created(self) }
}

// swift-iap2 · Apache-2.0

import Foundation

extension NSObject {
  /// Tells the system that a property of the object changed. In an observer of a property, the name is the property's.
  @MainActor
  func noteChange(_ name: StaticString = #function) { CarPlayModule.changed(self, name) }
}

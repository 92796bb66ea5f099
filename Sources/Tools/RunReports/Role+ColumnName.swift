// swift-iap2 · Apache-2.0

import Foundation
import IAP2
package import IAP2Roles

extension Role {
  /// The role in a column of text, as wide as the longer name.
  package var columnName: String {
    side.roleName.padding(toLength: Side.accessory.roleName.count, withPad: " ", startingAt: 0)
  }
}

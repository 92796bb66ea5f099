// swift-iap2 · Apache-2.0

package import IAP2

/// One value for each side.
package struct BothSides<Value> {
  package var accessory: Value
  package var device: Value

  package init(_ value: Value) {
    accessory = value
    device = value
  }

  package subscript(_ side: Side) -> Value {
    get { side == .accessory ? accessory : device }
    // In place: a copy on the way would copy what is behind it.
    _modify { if side == .accessory { yield &accessory } else { yield &device } }
  }
}

extension BothSides: Sendable where Value: Sendable {}
extension BothSides: Equatable where Value: Equatable {}

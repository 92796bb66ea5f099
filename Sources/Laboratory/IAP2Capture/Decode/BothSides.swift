// swift-iap2 · Apache-2.0

package import IAP2

/// A pair of values, one for each side.
package struct BothSides<Value> {
  /// The value of the accessory.
  package var accessory: Value
  /// The value of the device.
  package var device: Value

  /// Creates a pair with the same value for both sides.
  package init(_ value: Value) {
    accessory = value
    device = value
  }

  /// The value of a side.
  package subscript(_ side: Side) -> Value {
    get { side == .accessory ? accessory : device }
    // Yields in place: a copy would also copy the buffers that the value owns.
    _modify { if side == .accessory { yield &accessory } else { yield &device } }
  }
}

extension BothSides: Sendable where Value: Sendable {}
extension BothSides: Equatable where Value: Equatable {}

// swift-iap2 · Apache-2.0

package import IAP2Transport

/// What happens around connections while somebody waits for one.
package enum BluetoothEvent: Sendable, Equatable {
  case daemonGone, daemonBack
  /// With the number of the adapter.
  case adapterOff(UInt16)
  case adapterOn(UInt16)
  case adapterGone(UInt16)
  case adapterCame(UInt16)
  /// A call did not get through; the next is made after so many seconds.
  case callFailed(TransportError, seconds: Int)
}

// swift-iap2 · Apache-2.0

public import IAP2Transport

/// An event around connections while a source waits for one.
public enum BluetoothEvent: Sendable, Equatable {
  /// bluetoothd has ended, or is running again.
  case daemonGone, daemonBack
  /// The adapter with this number was powered off.
  case adapterOff(UInt16)
  /// The adapter with this number was powered on.
  case adapterOn(UInt16)
  /// The adapter with this number was removed.
  case adapterGone(UInt16)
  /// An adapter with this number was added.
  case adapterCame(UInt16)
  /// An attempt to connect has failed. The next one starts after `seconds`.
  case callFailed(TransportError, seconds: Int)
}

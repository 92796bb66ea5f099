// swift-iap2 · Apache-2.0

#if Bluetooth
  /// The name of every thread that waits for Bluetooth. The lab counts threads by this name.
  let bluetoothThread = "iap2-bluetooth"
#endif

// swift-iap2 · Apache-2.0

public import HIDReports

extension InputDevice {
  /// The largest number of input devices of a head unit. Ours (CarPlaySession.md#hid-limits).
  package static var maximumCount: Int { 32 }
}

extension HIDDescriptorLimits {
  /// The limits of the report descriptors of a head unit. Ours (CarPlaySession.md#hid-limits).
  public static let carPlay = HIDDescriptorLimits(
    byteCount: 4096, fieldCount: 1024, usageRangeCount: 256, depth: 16, reportBitCount: 16_384)
}

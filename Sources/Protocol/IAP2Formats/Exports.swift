// swift-iap2 · Apache-2.0

// The descriptors of input devices are part of this module's interface.
@_exported public import HIDReports

// swift-iap2 · Apache-2.0

import HIDReports

/// The usage pages of input devices. Source: CarPlaySession.md#hid-devices.
enum HIDPage {
  static let desktop: UInt16 = 0x01, keyboard: UInt16 = 0x07, button: UInt16 = 0x09
  static let telephony: UInt16 = 0x0B, consumer: UInt16 = 0x0C, digitizer: UInt16 = 0x0D
}

extension HIDUsage {
  // The usages of a touch screen. The tip switch of other digitizers has the meaning of the touch bit.
  static let touchScreen = Self(page: HIDPage.digitizer, 0x04), finger = Self(page: HIDPage.digitizer, 0x22)
  static let transducerIndex = Self(page: HIDPage.digitizer, 0x38)
  static let touch = Self(page: HIDPage.digitizer, 0x33), tipSwitch = Self(page: HIDPage.digitizer, 0x42)
  static let x = Self(page: HIDPage.desktop, 0x30), y = Self(page: HIDPage.desktop, 0x31)

  // The usages of a knob. A dial is another name of a wheel.
  static let knob = Self(page: HIDPage.desktop, 0x08)
  static let wheel = Self(page: HIDPage.desktop, 0x38), dial = Self(page: HIDPage.desktop, 0x37)
  static let firstButton = Self(page: HIDPage.button, 1)
  static let home = Self(page: HIDPage.consumer, 0x223), back = Self(page: HIDPage.consumer, 0x224)

  // The usages of devices with keys.
  static let consumerControl = Self(page: HIDPage.consumer, 0x01), telephonyKeys = Self(page: HIDPage.telephony, 0x07)
}

// swift-iap2 · Apache-2.0

import HIDReports

extension InputDevice {
  /// Returns a touch screen for ``TouchScreen``. Source: CarPlaySession.md#hid-touch-screen.
  ///
  /// - Parameters:
  ///   - width: The width of the display in pixels, which is the logical maximum of X.
  ///   - height: The height of the display in pixels, which is the logical maximum of Y.
  ///   - number: The number of the device.
  ///   - displayUUID: The id of the display.
  public static func touchScreen(
    width: UInt16, height: UInt16, number: UInt32 = 1, displayUUID: String? = nil
  ) -> Self {
    let slots = TouchScreen.Slot.allCases
    let descriptor = descriptor(.touchScreen) { writer in
      for _ in slots {
        writer.collection(.logical, HIDPage.digitizer, HIDUsage.finger.number) { writer in
          writer.usage(HIDUsage.transducerIndex.number)
          writer.range(0...Int32(slots.count - 1))
          writer.variables(bits: 8)
          writer.usage(HIDUsage.touch.number)
          writer.range(0...1)
          writer.variables(bits: 1)
          writer.padding(bits: 7)
          writer.page(HIDPage.desktop)
          for (usage, maximum) in [(HIDUsage.x, width), (.y, height)] {
            writer.usage(usage.number)
            writer.range(0...Int32(maximum))
            writer.variables(bits: 16)
          }
        }
      }
    }
    return Self(
      number: number, name: "Touch Screen", descriptor: descriptor, displayUUID: displayUUID, productID: 1)
  }

  /// Returns a knob for ``KnobReport``. Source: CarPlaySession.md#hid-knob.
  ///
  /// - Parameters:
  ///   - number: The number of the device.
  ///   - displayUUID: The id of the display.
  public static func knob(number: UInt32 = 2, displayUUID: String? = nil) -> Self {
    let descriptor = descriptor(.knob) { writer in
      writer.range(0...1)
      writer.page(HIDPage.button)
      writer.usage(HIDUsage.firstButton.number)
      writer.variables(bits: 1)
      writer.page(HIDPage.consumer)
      writer.usage(HIDUsage.home.number)
      writer.usage(HIDUsage.back.number)
      writer.variables(2, bits: 1)
      writer.padding(bits: 5)
      writer.page(HIDPage.desktop)
      writer.range(-127...127)
      writer.usage(HIDUsage.x.number)
      writer.usage(HIDUsage.y.number)
      writer.variables(2, bits: 8)
      writer.usage(HIDUsage.wheel.number)
      writer.variables(bits: 8, isRelative: true)
    }
    return Self(number: number, name: "Knob", descriptor: descriptor, displayUUID: displayUUID, productID: 2)
  }

  /// Returns a device for ``MediaKey``. Source: CarPlaySession.md#hid-media-keys.
  ///
  /// - Parameters:
  ///   - number: The number of the device.
  ///   - displayUUID: The id of the display.
  public static func mediaKeys(number: UInt32 = 3, displayUUID: String? = nil) -> Self {
    let descriptor = descriptor(.consumerControl, keys: MediaKey.self)
    return Self(number: number, name: "Media Keys", descriptor: descriptor, displayUUID: displayUUID, productID: 3)
  }

  /// Returns a device for ``TelephonyKey``. Source: CarPlaySession.md#hid-telephony-keys.
  ///
  /// - Parameters:
  ///   - number: The number of the device.
  ///   - displayUUID: The id of the display.
  public static func telephonyKeys(number: UInt32 = 4, displayUUID: String? = nil) -> Self {
    let descriptor = descriptor(.telephonyKeys, keys: TelephonyKey.self)
    return Self(
      number: number, name: "Telephony Keys", descriptor: descriptor, displayUUID: displayUUID, productID: 4)
  }

  private static func descriptor(
    _ usage: HIDUsage, content: (inout HIDDescriptorWriter) -> Void
  ) -> [UInt8] {
    var writer = HIDDescriptorWriter()
    writer.collection(.application, usage.page, usage.number, content: content)
    return writer.bytes
  }

  /// Returns the descriptor of a device whose report is one byte that selects a key. The range starts at 1, so 0 is the
  /// null state.
  private static func descriptor<Key: InputKey>(_ usage: HIDUsage, keys: Key.Type) -> [UInt8] {
    descriptor(usage) { writer in
      let usages = keys.allCases.map(\.usage)
      for key in usages {
        if key.page == usage.page { writer.usage(key.number) } else { writer.usage(key.page, key.number) }
      }
      writer.range(1...Int32(usages.count))
      writer.array(bits: 8)
    }
  }
}

// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the sample rate of audio over USB device mode: 0xDA00
/// (Features.md#usb-audio-order; medium).
public struct StartUSBDeviceModeAudio: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xDA00, "StartUSBDeviceModeAudio", from: .accessory, "USB Device Mode Audio", .medium,
    ["Features.md#usb-audio-order", "NOTES", "UNMARKED"],
    subscription: MessageSubscription(stop: StopUSBDeviceModeAudio.id, updates: [USBDeviceModeAudioInformation.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A number of audio samples per second, here and in USBDeviceTransportComponent.
public struct AudioSampleRate: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let rate8000 = Self(rawValue: 0)
  /// Value 1.
  public static let rate11025 = Self(rawValue: 1)
  /// Value 2.
  public static let rate12000 = Self(rawValue: 2)
  /// Value 3.
  public static let rate16000 = Self(rawValue: 3)
  /// Value 4.
  public static let rate22050 = Self(rawValue: 4)
  /// Value 5.
  public static let rate24000 = Self(rawValue: 5)
  /// Value 6.
  public static let rate32000 = Self(rawValue: 6)
  /// Value 7.
  public static let rate44100 = Self(rawValue: 7)
  /// Value 8.
  public static let rate48000 = Self(rawValue: 8)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "8000"), (1, "11025"), (2, "12000"), (3, "16000"), (4, "22050"), (5, "24000"), (6, "32000"), (7, "44100"),
      (8, "48000"),
    ]
  }
}

/// A message of the device that reports the sample rate: 0xDA01 (Features.md#usb-audio-order; medium).
public struct USBDeviceModeAudioInformation: ControlMessage {
  /// Parameter 0: enumeration ``AudioSampleRate``. Required. Confidence: medium.
  /// The values are those of ``USBDeviceTransportComponent/usbDeviceSupportedAudioSampleRate``.
  public var sampleRate: AudioSampleRate = AudioSampleRate(rawValue: 0)
  /// Parameter 1: unsigned 32-bit integer. Confidence: low.
  /// The only observed value is 0.
  public var unknown1: UInt32?
  /// Parameter 2: unsigned 32-bit integer. Confidence: low.
  /// The only observed value is 0.
  public var unknown2: UInt32?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xDA01, "USBDeviceModeAudioInformation", from: .device, "USB Device Mode Audio", .medium,
    ["Features.md#usb-audio-order", "NOTES", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "SampleRate", &sampleRate, ParameterNote(.medium))
    try pass(1, "Unknown1", &unknown1, ParameterNote(.low))
    try pass(2, "Unknown2", &unknown2, ParameterNote(.low))
  }
}

/// A message of the accessory that ends the subscription to the sample rate: 0xDA02 (Features.md#usb-audio-order;
/// medium).
public struct StopUSBDeviceModeAudio: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xDA02, "StopUSBDeviceModeAudio", from: .accessory, "USB Device Mode Audio", .medium,
    ["Features.md#usb-audio-order", "NOTES", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

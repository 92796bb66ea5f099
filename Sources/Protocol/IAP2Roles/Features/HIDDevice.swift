// swift-iap2 · Apache-2.0

public import IAP2
package import IAP2Formats

/// An input device of an accessory: the component that the accessory identifies, and the descriptor of its reports.
public struct HIDDevice: Sendable, Equatable {
  /// The identifier of the HID component in the identification.
  package var component: UInt16
  /// The name of the component.
  package var name: String
  /// The function of the component.
  package var function: HIDComponentFunction
  /// The vendor id of the device.
  package var vendor: UInt16 = 0
  /// The product id of the device.
  package var product: UInt16 = 0
  /// The HID report descriptor.
  package var descriptor: [UInt8]

  /// Creates a device with the vendor id and the product id 0.
  public init(component: UInt16, name: String, function: HIDComponentFunction, descriptor: [UInt8]) {
    self.component = component
    self.name = name
    self.function = function
    self.descriptor = descriptor
  }

  /// Returns a media remote that has each ``MediaButton`` as one bit.
  public static func mediaRemote(component: UInt16) -> HIDDevice {
    let buttons = MediaButton.allCases
    var descriptor: [UInt8] = [0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01]
    for button in buttons { descriptor += [0x09, UInt8(button.usage.number)] }
    descriptor += [0x95, UInt8(buttons.count), 0x81, 0x02]
    // Padding up to a whole byte.
    let padding = UInt8((8 - buttons.count % 8) % 8)
    if padding > 0 { descriptor += [0x95, padding, 0x81, 0x03] }
    return HIDDevice(
      component: component, name: "Media Remote", function: .mediaPlaybackRemote, descriptor: descriptor + [0xC0])
  }

  /// Returns a keyboard with eight modifiers, six keys at once and five lights as output: the layout of HID 1.11, B.1.
  public static func keyboard(component: UInt16) -> HIDDevice {
    let descriptor: [UInt8] = [
      0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01,
      0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x03, 0x95, 0x05, 0x75, 0x01, 0x05, 0x08, 0x19, 0x01,
      0x29, 0x05, 0x91, 0x02, 0x95, 0x01, 0x75, 0x03, 0x91, 0x03, 0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65,
      0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xC0,
    ]
    return HIDDevice(component: component, name: "Keyboard", function: .keyboard, descriptor: descriptor)
  }

  /// Returns a pointer with three buttons and two relative axes (HID 1.11, B.2), for AssistiveTouch.
  public static func pointer(component: UInt16) -> HIDDevice {
    let descriptor: [UInt8] = [
      0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x01, 0xA1, 0x00, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00,
      0x25, 0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x03, 0x05, 0x01, 0x09, 0x30,
      0x09, 0x31, 0x15, 0x81, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0xC0, 0xC0,
    ]
    return HIDDevice(component: component, name: "Pointer", function: .assistiveTouchPointer, descriptor: descriptor)
  }

  var start: StartHID {
    var start = StartHID()
    start.hidComponentIdentifier = component
    start.vendorIdentifier = vendor
    start.productIdentifier = product
    start.hidReportDescriptor = Blob(descriptor)
    return start
  }
}

/// A button of a media remote, by its usage on the Consumer page (HID Usage Tables, page 0C).
public enum MediaButton: String, Sendable, Hashable, CaseIterable, Codable {
  /// One case for each button.
  case play, pause, fastForward, rewind, next, previous, stop, playPause, mute, volumeUp, volumeDown, shuffle, `repeat`

  /// The usage of the button on the Consumer page.
  package var usage: HIDUsage {
    let number: UInt16 =
      switch self {
      case .play: 0xB0
      case .pause: 0xB1
      case .fastForward: 0xB3
      case .rewind: 0xB4
      case .next: 0xB5
      case .previous: 0xB6
      case .stop: 0xB7
      case .playPause: 0xCD
      case .mute: 0xE2
      case .volumeUp: 0xE9
      case .volumeDown: 0xEA
      case .shuffle: 0xB9
      case .repeat: 0xBC
      }
    return HIDUsage(page: 0x0C, number)
  }
}

extension MediaPlayer {
  /// Applies a press of a button. Fast forward and rewind move by 10 s; mute and volume have no effect.
  mutating func press(_ button: MediaButton) {
    switch button {
    case .play: play()
    case .pause: pause()
    case .playPause: togglePlay()
    case .stop: stop()
    case .next: next()
    case .previous: previous()
    case .fastForward: seek(toMilliseconds: elapsedMilliseconds + 10_000)
    case .rewind: seek(toMilliseconds: elapsedMilliseconds - 10_000)
    case .shuffle: shuffleMode = shuffleMode == .off ? .songs : .off
    case .repeat: repeatMode = repeatMode == .off ? .all : repeatMode == .all ? .one : .off
    case .mute, .volumeUp, .volumeDown: break
    }
  }
}

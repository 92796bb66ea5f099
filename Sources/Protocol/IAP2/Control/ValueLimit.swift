// swift-iap2 · Apache-2.0

/// The values that a parameter may have, where its type allows more.
///
/// Readers do not enforce a limit: a message with another value is read, and `iap2 check` and `iap2 explain` report it.
public enum ValueLimit: String, Sendable, CaseIterable {
  /// A part of a whole (Features.md#power-update).
  case percent = "0 to 100"
  /// The name of a network (Features.md#wifi-limits).
  case networkName = "1 to 32 bytes"
  /// A channel in the bands of 2.4 and 5 GHz; 0 leaves the channel open (Features.md#wifi-limits).
  case channel = "0, or a channel of 2.4 or 5 GHz"
  /// The address of an access point.
  case hardwareAddress = "6 bytes"
  /// A challenge for a co-processor 2.0 or 3.0 (Authentication.md#challenge-size).
  case challenge = "20 or 32 bytes"
  /// The signature of a co-processor 2.0 or 3.0 (Authentication.md#response-size).
  case signature = "128 or 64 bytes"
  /// A TCP port.
  case port = "1 to 65535"
  /// An address of IPv4 or IPv6 as text.
  case internetAddress = "an IPv4 or IPv6 address"
  /// A language as text (Identification.md#language-form).
  case language = "a language tag, such as en or zh-Hans"
  /// The id of a file that the device sends (FileTransfer.md#ids).
  case deviceFile = "128 to 255"
  /// A HID report descriptor (Features.md#hid-start).
  case reportDescriptor = "a HID report descriptor"
}

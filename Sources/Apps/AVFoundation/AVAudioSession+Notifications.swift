// swift-iap2 · Apache-2.0

public import Foundation

// The car posts the notification of an interruption itself. A test posts the others, as the system would. The names are
// those of the public reference, and the values are those of the public headers (theos/sdks, AVAudioSessionTypes.h).

extension AVAudioSession {
  /// The name of the notification that another sound, such as a call, interrupts the app's sound, or stops to do so.
  public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
  /// The name of the notification that the sound goes to another device.
  public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
  /// The name of the notification that the system's sound service ended.
  public static let mediaServicesWereLostNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereLostNotification")
  /// The name of the notification that the system's sound service started again, so that players must be made anew.
  public static let mediaServicesWereResetNotification = Notification.Name(
    "AVAudioSessionMediaServicesWereResetNotification")
  /// The name of the notification that the main sound of other apps begins or ends.
  public static let silenceSecondaryAudioHintNotification = Notification.Name(
    "AVAudioSessionSilenceSecondaryAudioHintNotification")

  /// The beginning or the end of an interruption.
  public enum InterruptionType: UInt, Sendable {
    /// The interruption ended.
    case ended = 0
    /// The interruption began, and the app's sound stopped.
    case began = 1
  }

  /// The advice at the end of an interruption.
  public struct InterruptionOptions: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt

    /// Creates a set of flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app may play on.
    public static let shouldResume = InterruptionOptions(rawValue: 1)
  }

  /// The reason of a change of the route.
  public enum RouteChangeReason: UInt, Sendable {
    /// The reason is not known.
    case unknown = 0
    /// A device was connected.
    case newDeviceAvailable = 1
    /// A device was disconnected, so an app pauses.
    case oldDeviceUnavailable = 2
    /// The app set another category.
    case categoryChange = 3
    /// The app or the user chose another device.
    case override = 4
    /// The phone woke up.
    case wakeFromSleep = 6
    /// No device suits the category.
    case noSuitableRouteForCategory = 7
    /// The ports are the same, and their settings changed.
    case routeConfigurationChange = 8
  }

  /// The beginning or the end of the main sound of other apps.
  public enum SilenceSecondaryAudioHintType: UInt, Sendable {
    /// The main sound of other apps ended.
    case end = 0
    /// The main sound of other apps began, so an app mutes its less important sound.
    case begin = 1
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the kind of an interruption, the raw value of an `AVAudioSession.InterruptionType`.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the advice at the end of an interruption, the raw value of `AVAudioSession.InterruptionOptions`.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the reason of an interruption.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of whether the app was suspended when an interruption began.
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the reason of a change of the route, the raw value of an `AVAudioSession.RouteChangeReason`.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the route before a change.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the kind of a hint, the raw value of an `AVAudioSession.SilenceSecondaryAudioHintType`.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

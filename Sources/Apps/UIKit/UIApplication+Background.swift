// swift-iap2 · Apache-2.0

public import Foundation

/// The identifier of a background task.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number of the task.
  public let rawValue: Int

  /// Creates an identifier.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// No task.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

extension UIApplication {
  /// Begins a task that goes on after the app left the front. The emulated system suspends no app, so the handler for
  /// the end of the time is never called.
  @preconcurrency
  public final func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil)
    -> UIBackgroundTaskIdentifier
  { beginBackgroundTask(withName: nil, expirationHandler: handler) }

  /// Begins a task with a name that goes on after the app left the front. The emulated system suspends no app, so the
  /// handler for the end of the time is never called.
  @preconcurrency
  public final func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    backgroundTaskCount += 1
    return UIBackgroundTaskIdentifier(rawValue: backgroundTaskCount)
  }

  /// Ends a background task.
  public final func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}

  /// The time that the app may go on in the background: without a limit, because no app is suspended.
  public final var backgroundTimeRemaining: TimeInterval { .greatestFiniteMagnitude }

  /// Does nothing: a car's keys reach `MPRemoteCommandCenter` in any case.
  public final func beginReceivingRemoteControlEvents() {}

  /// Does nothing: a car's keys reach `MPRemoteCommandCenter` in any case.
  public final func endReceivingRemoteControlEvents() {}
}

// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// A step of a side in a CarPlay session. It returns nil on success, otherwise the reason of the failure.
public enum CarPlayStep: Sendable {
  /// A step of the head unit.
  case headUnit(@Sendable (inout HeadUnitSession, MonotonicTime) -> String?)
  /// A step of the phone.
  case phone(@Sendable (inout PhoneSession, MonotonicTime) -> String?)
  /// Another phone connects to the head unit.
  case otherPhone
}

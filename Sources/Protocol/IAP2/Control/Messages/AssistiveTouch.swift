// swift-iap2 · Apache-2.0

/// A message of the accessory that turns the pointer of AssistiveTouch on: 0x5400 (Features.md#assistive-touch;
/// medium).
public struct StartAssistiveTouch: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5400, "StartAssistiveTouch", from: .accessory, "AssistiveTouch", .medium,
    ["Features.md#assistive-touch", "LITEEMF", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that turns the pointer of AssistiveTouch off: 0x5401 (Features.md#assistive-touch;
/// medium).
public struct StopAssistiveTouch: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5401, "StopAssistiveTouch", from: .accessory, "AssistiveTouch", .medium,
    ["Features.md#assistive-touch", "LITEEMF", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that subscribes to the state of AssistiveTouch: 0x5402 (Features.md#assistive-touch;
/// medium).
public struct StartAssistiveTouchInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5402, "StartAssistiveTouchInformation", from: .accessory, "AssistiveTouch", .medium,
    ["Features.md#assistive-touch", "LITEEMF", "UNMARKED"],
    subscription: MessageSubscription(stop: StopAssistiveTouchInformation.id, updates: [AssistiveTouchInformation.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the device that reports whether AssistiveTouch is on: 0x5403 (Features.md#assistive-touch; medium).
public struct AssistiveTouchInformation: ControlMessage {
  /// Parameter 0: Boolean. Required. Confidence: medium.
  public var isEnabled: Bool = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5403, "AssistiveTouchInformation", from: .device, "AssistiveTouch", .medium,
    ["Features.md#assistive-touch", "LITEEMF", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "IsEnabled", &isEnabled, ParameterNote(.medium))
  }
}

/// A message of the accessory that ends the subscription to the state of AssistiveTouch: 0x5404
/// (Features.md#assistive-touch; medium).
public struct StopAssistiveTouchInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5404, "StopAssistiveTouchInformation", from: .accessory, "AssistiveTouch", .medium,
    ["Features.md#assistive-touch", "LITEEMF", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

// swift-iap2 · Apache-2.0

/// StartAssistiveTouch, sent by the accessory.
public struct StartAssistiveTouch: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5400, "StartAssistiveTouch", from: .accessory, "AssistiveTouch", .high,
    ["LiteEMF (BSD-2)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// StopAssistiveTouch, sent by the accessory.
public struct StopAssistiveTouch: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5401, "StopAssistiveTouch", from: .accessory, "AssistiveTouch", .high,
    ["LiteEMF (BSD-2)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// StartAssistiveTouchInformation, sent by the accessory.
public struct StartAssistiveTouchInformation: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5402, "StartAssistiveTouchInformation", from: .accessory, "AssistiveTouch", .high,
    ["LiteEMF (BSD-2)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// AssistiveTouchInformation, sent by the device.
public struct AssistiveTouchInformation: ControlMessage {
  public var isEnabled: Bool = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5403, "AssistiveTouchInformation", from: .device, "AssistiveTouch", .high,
    ["LiteEMF (BSD-2)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "IsEnabled", &isEnabled, ParameterNote(.medium))
  }
}

/// StopAssistiveTouchInformation, sent by the accessory.
public struct StopAssistiveTouchInformation: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x5404, "StopAssistiveTouchInformation", from: .accessory, "AssistiveTouch", .high,
    ["LiteEMF (BSD-2)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

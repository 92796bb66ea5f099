// swift-iap2 · Apache-2.0

public import HIDReports

/// The phone's reader for the reports of one input device with any report descriptor.
///
/// An event is a change, so a repeated report has no events, except for relative numbers. Source:
/// CarPlaySession.md#hid-events.
public struct InputReader: Sendable {
  /// The report descriptor of the device.
  public let descriptor: HIDReportDescriptor
  private var touches: InputTouches
  /// The usages that arrays of a report select, in the order of the last report, by the report's id.
  private var selected: [UInt8: [HIDUsage]] = [:]
  /// The pressed controls that have their own field.
  private var pressed: Set<Control> = []
  private var (x, y) = (0, 0)

  private struct Control: Hashable {
    var usage: HIDUsage
    var collection: Int?
  }

  /// Creates a reader for a device without a pressed control.
  ///
  /// - Parameters:
  ///   - descriptor: The report descriptor of the device.
  ///   - width: The width of the display in pixels.
  ///   - height: The height of the display in pixels.
  public init(descriptor: HIDReportDescriptor, width: UInt16, height: UInt16) {
    self.descriptor = descriptor
    touches = InputTouches(descriptor, width: width, height: height)
  }

  /// Processes a report and returns its events.
  ///
  /// - Throws: `HIDReportProblem` of `HIDReports`. The state does not change then.
  public mutating func take(_ report: [UInt8]) throws(HIDReportProblem) -> [InputEvent] {
    let id = try descriptor.reportID(of: report)
    let values = try descriptor.inputs(in: report)
    let others = values.filter { !touches.isPart($0) }
    return takeSelected(others.filter(\.isArray).map(\.usage), id) + takeVariables(others.filter { !$0.isArray })
      + touches.take(values)
  }

  // MARK: Keys

  private mutating func takeSelected(_ usages: [HIDUsage], _ id: UInt8) -> [InputEvent] {
    let before = selected[id] ?? []
    let (now, last) = (Set(usages), Set(before))
    var kept = before.filter(now.contains)
    var events = before.filter { !now.contains($0) }.map { event($0, isDown: false) }
    var known = last
    for usage in usages where known.insert(usage).inserted {
      kept.append(usage)
      events.append(event(usage, isDown: true))
    }
    selected[id] = kept
    return events
  }

  private func event(_ usage: HIDUsage, isDown: Bool) -> InputEvent {
    .key(page: usage.page, usage: usage.number, isDown: isDown)
  }

  // MARK: Controls with an own field

  private mutating func takeVariables(_ values: [HIDValue]) -> [InputEvent] {
    let position = (x, y)
    var events: [InputEvent] = []
    var change = (x: 0, y: 0)
    // Two fields of one control are one button, which is down if one of them has the value 1.
    let down = Set(values.filter { $0.value == 1 }.map { Control(usage: $0.usage, collection: $0.collection) })
    for value in values {
      switch value.usage {
      case .x: if value.isRelative { change.x += value.value } else { x = value.value }
      case .y: if value.isRelative { change.y += value.value } else { y = value.value }
      case .wheel, .dial:
        if value.isRelative, value.value != 0 { events.append(.knobWheel(steps: value.value)) }
      default: if let event = takeButton(value, down) { events.append(event) }
      }
    }
    if position != (x, y) { events.append(.knobNudge(x: x, y: y)) }
    if change != (0, 0) { events.append(.knobNudge(x: change.x, y: change.y)) }
    return events
  }

  private mutating func takeButton(_ value: HIDValue, _ down: Set<Control>) -> InputEvent? {
    guard value.range == 0...1, !value.isRelative, value.usage.page != HIDPage.digitizer else { return nil }
    let control = Control(usage: value.usage, collection: value.collection)
    let isDown = down.contains(control)
    guard isDown != pressed.contains(control) else { return nil }
    if isDown { pressed.insert(control) } else { pressed.remove(control) }
    if let button = button(control) { return .knobButton(button, isDown: isDown) }
    return event(value.usage, isDown: isDown)
  }

  /// Returns the button of a knob. Home and back of a device with media keys are keys.
  private func button(_ control: Control) -> KnobButton? {
    switch control.usage {
    case .firstButton: .select
    case .home: isMediaDevice(control.collection) ? nil : .home
    case .back: isMediaDevice(control.collection) ? nil : .back
    default: nil
    }
  }

  private func isMediaDevice(_ collection: Int?) -> Bool {
    descriptor.ancestry(of: collection).last?.usage == .consumerControl
  }
}

extension HIDReportDescriptor {
  /// Returns a collection and the collections around it, from the inside.
  func ancestry(of collection: Int?) -> [(index: Int, usage: HIDUsage)] {
    var result: [(index: Int, usage: HIDUsage)] = []
    var next = collection
    while let index = next {
      result.append((index, collections[index].usage))
      next = collections[index].parent
    }
    return result
  }
}

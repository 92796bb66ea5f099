// swift-iap2 · Apache-2.0

/// A plan of the faults of a transport. The text of a plan, including the seed, reproduces the same run.
///
///     loss=0.05,to-phone:delay=20,jitter=10,half-open=identified,seed=7
///
/// Items are separated by commas. An item applies to both directions unless `to-headunit:` or `to-phone:` precedes it.
public struct FaultPlan: Sendable, Hashable {
  /// A moment of a connection.
  public enum Moment: Sendable, Hashable {
    /// The time after the transport was opened, in milliseconds.
    case milliseconds(Int)
    /// A random time after the transport was opened, at most this many milliseconds.
    case random(untilMilliseconds: Int)
    /// The moment at which this event is reported, by its name in JSON.
    case event(String)
  }

  /// A period in which no bytes move and none are lost.
  public struct Stall: Sendable, Hashable {
    /// The moment at which the stall begins.
    public var start: Moment
    /// The length of the stall in milliseconds.
    public var milliseconds: Int

    /// Creates a stall.
    package init(start: Moment, milliseconds: Int) {
      self.start = start
      self.milliseconds = milliseconds
    }
  }

  /// The faults of one direction.
  public struct Direction: Sendable, Hashable {
    /// The conditions of the direction.
    public var conditions: LinkConditions
    /// The stall; nil for none.
    public var stall: Stall?
    /// The moment from which all bytes are lost and neither side is notified; nil for none.
    public var halfOpen: Moment?

    /// Creates a direction without a stall.
    public init(_ conditions: LinkConditions = Self.transparent) { self.conditions = conditions }

    /// Conditions without faults and without delay: the transport below has a delay of its own.
    public static let transparent: LinkConditions = {
      var conditions = LinkConditions.perfect
      conditions.delayMilliseconds = 0
      return conditions
    }()
  }

  /// The faults of bytes to the head unit.
  public var toHeadUnit = Direction()
  /// The faults of bytes to the phone.
  public var toPhone = Direction()
  /// The moment at which the transport ends; nil for none.
  public var disconnect: Moment?
  /// The seed of all random numbers.
  public var seed: UInt64

  /// Creates a plan without faults.
  public init(seed: UInt64 = 1) { self.seed = seed }

  /// Whether the plan has no faults.
  public var isEmpty: Bool { self == FaultPlan(seed: seed) }
}

extension FaultPlan {
  /// A problem of a plan's text.
  public enum Problem: Error, Sendable, Hashable {
    /// The item is not `NAME=VALUE`.
    case notNameAndValue(String)
    /// No fault has this name.
    case unknownName(String)
    /// The direction is neither `to-headunit` nor `to-phone`.
    case unknownDirection(String)
    /// The value does not fit; `takes` describes the valid values in English.
    case badValue(name: String, value: String, takes: String)
    /// The item applies to the whole transport and takes no direction.
    case noDirection(name: String)
    /// An earlier item states the same.
    case repeated(item: String)
  }

  /// The names that an item may have, in the order in which a plan is written.
  public static let names =
    LinkConditions.probabilities.map(\.name) + LinkConditions.times.map(\.name) + [
      "rate", "stall", "half-open", "disconnect", "seed",
    ]

  /// Parses the text of a plan.
  ///
  /// - Parameters:
  ///   - text: Items with commas between them. An empty text is a plan without faults.
  ///   - seed: the seed unless the text has one.
  ///   - events: the names of events that a moment may have.
  public init(parsing text: String, seed: UInt64, events: Set<String>) throws(Problem) {
    self.init(seed: seed)
    guard !text.isEmpty else { return }
    var places: Set<String> = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      try add(String(item), events)
      try Self.note(item.prefix { $0 != "=" }, in: &places)
    }
  }

  /// Returns the seed in a plan's text; nil if it has none.
  public static func namedSeed(in text: String) -> UInt64? {
    text.split(separator: ",").first { $0.hasPrefix("seed=") }.flatMap { UInt64($0.dropFirst(5)) }
  }

  /// Records which item was set. An item for one direction may follow the same item for both; the reverse order would
  /// overwrite it.
  private static func note(_ place: Substring, in places: inout Set<String>) throws(Problem) {
    let said = place.contains(":") ? ["\(place)"] : ["\(place)", "to-headunit:\(place)", "to-phone:\(place)"]
    guard places.isDisjoint(with: said) else { throw .repeated(item: "\(place)") }
    places.insert("\(place)")
  }

  private mutating func add(_ item: String, _ events: Set<String>) throws(Problem) {
    let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw .notNameAndValue(item) }
    let place = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = place.last ?? ""
    if name == "seed" || name == "disconnect", place.count > 1 { throw .noDirection(name: name) }
    switch name {
    case "seed":
      guard let number = UInt64(parts[1]) else { throw .badValue(name: name, value: parts[1], takes: "a number") }
      seed = number
    case "disconnect": disconnect = try Self.moment(parts[1], of: name, events)
    default:
      switch place.count > 1 ? place[0] : nil {
      case nil:
        try Self.set(name, parts[1], in: &toHeadUnit, events)
        try Self.set(name, parts[1], in: &toPhone, events)
      case "to-headunit": try Self.set(name, parts[1], in: &toHeadUnit, events)
      case "to-phone": try Self.set(name, parts[1], in: &toPhone, events)
      case let other?: throw .unknownDirection(other)
      }
    }
  }

  private static func set(
    _ name: String, _ value: String, in direction: inout Direction, _ events: Set<String>
  ) throws(Problem) {
    if let found = LinkConditions.probabilities.first(where: { $0.name == name }) {
      guard let number = Double(value), (0...1).contains(number) else {
        throw .badValue(name: name, value: value, takes: "a probability of 0 to 1")
      }
      direction.conditions[keyPath: found.place] = number
    } else if let found = LinkConditions.times.first(where: { $0.name == name }) {
      direction.conditions[keyPath: found.place] = try number(value, of: name, takes: "milliseconds")
    } else {
      switch name {
      case "rate":
        guard let rate = Int(value), LinkConditions.rates.contains(rate) else {
          throw .badValue(name: name, value: value, takes: "bytes a second, at least 1")
        }
        direction.conditions.bytesPerSecond = rate
      case "stall":
        let parts = value.split(separator: "+", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
          throw .badValue(name: name, value: value, takes: "a moment and milliseconds, as in 2000+500")
        }
        direction.stall = Stall(
          start: try moment(parts[0], of: name, events),
          milliseconds: try number(parts[1], of: name, takes: "a moment and milliseconds, as in 2000+500"))
      case "half-open": direction.halfOpen = try moment(value, of: name, events)
      default: throw .unknownName(name)
      }
    }
  }

  private static func number(_ text: String, of name: String, takes: String) throws(Problem) -> Int {
    guard let number = Int(text), LinkConditions.milliseconds.contains(number) else {
      throw .badValue(name: name, value: text, takes: takes)
    }
    return number
  }

  private static func momentForms(_ events: Set<String>) -> String {
    events.isEmpty
      ? "milliseconds or random:MILLISECONDS" : "milliseconds, an event's name, or random:MILLISECONDS"
  }

  private static func moment(_ text: String, of name: String, _ events: Set<String>) throws(Problem) -> Moment {
    if text.hasPrefix("random:") {
      return .random(untilMilliseconds: try number(String(text.dropFirst(7)), of: name, takes: momentForms(events)))
    }
    if events.contains(text) { return .event(text) }
    return .milliseconds(try number(text, of: name, takes: momentForms(events)))
  }
}

extension FaultPlan.Problem {
  /// The problem in English.
  public var text: String {
    switch self {
    case .notNameAndValue(let item): "\"\(item)\" is not NAME=VALUE"
    case .unknownName(let name): "unknown fault \"\(name)\"; the faults are \(FaultPlan.names.joined(separator: ", "))"
    case .unknownDirection(let name): "unknown direction \"\(name)\"; the directions are to-headunit: and to-phone:"
    case .badValue(let name, let value, let takes): "\(name) takes \(takes), not \"\(value)\""
    case .noDirection(let name): "\(name) applies to both directions: leave out the direction"
    case .repeated(let item):
      "\(item) is repeated; items for both directions must come before items for one"
    }
  }
}

extension FaultPlan.Moment: CustomStringConvertible {
  /// The moment as text, in the form that a plan has.
  public var description: String {
    switch self {
    case .milliseconds(let number): "\(number)"
    case .random(let limit): "random:\(limit)"
    case .event(let name): name
    }
  }
}

extension FaultPlan: CustomStringConvertible {
  /// The plan as text, which ``init(parsing:seed:events:)`` reads.
  public var description: String {
    let forHeadUnit = Self.items(toHeadUnit)
    let forPhone = Self.items(toPhone)
    var items = forHeadUnit.filter(forPhone.contains)
    items += forHeadUnit.filter { !forPhone.contains($0) }.map { "to-headunit:\($0)" }
    items += forPhone.filter { !forHeadUnit.contains($0) }.map { "to-phone:\($0)" }
    if let disconnect { items.append("disconnect=\(disconnect)") }
    return (items + ["seed=\(seed)"]).joined(separator: ",")
  }

  private static func items(_ direction: Direction) -> [String] {
    let plain = Direction()
    var items: [String] = []
    for (name, place) in LinkConditions.probabilities
    where direction.conditions[keyPath: place] != plain.conditions[keyPath: place] {
      items.append("\(name)=\(direction.conditions[keyPath: place])")
    }
    for (name, place) in LinkConditions.times
    where direction.conditions[keyPath: place] != plain.conditions[keyPath: place] {
      items.append("\(name)=\(direction.conditions[keyPath: place])")
    }
    if let rate = direction.conditions.bytesPerSecond { items.append("rate=\(rate)") }
    if let stall = direction.stall { items.append("stall=\(stall.start)+\(stall.milliseconds)") }
    if let halfOpen = direction.halfOpen { items.append("half-open=\(halfOpen)") }
    return items
  }
}

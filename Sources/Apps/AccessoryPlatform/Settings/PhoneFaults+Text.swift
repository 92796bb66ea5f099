// swift-iap2 · Apache-2.0

import IAP2Faults
import IAP2Roles

extension PhoneFaults {
  /// The names of the faults as text.
  public static let names = items.map(\.name)

  /// Adds a fault as text, such as `space=7`.
  mutating func add(_ text: String) throws(ConfigurationProblem) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let item = Self.items.first(where: { $0.name == parts[0] }) else {
      throw ConfigurationProblem("unknown fault \"\(parts[0])\"")
    }
    if item.takes == nil, parts.count > 1 { throw ConfigurationProblem("\(item.name) takes no value") }
    guard item.set(&self, parts.count > 1 ? parts[1] : "") else {
      throw ConfigurationProblem("\(item.name) takes \(item.takes ?? "no value"), not \"\(parts.last ?? "")\"")
    }
  }

  private struct Item: Sendable {
    var name: String
    /// The valid values in English; nil for a fault without a value.
    var takes: String?
    /// Sets the fault. Returns false if the value does not fit.
    var set: @Sendable (inout PhoneFaults, String) -> Bool
  }

  private static let items = [
    Item(name: "refuse-open", takes: "a count or always, as in 2 or always:com.example.print") { faults, text in
      let (count, name) = divide(text, at: ":")
      guard name != "", count == "always" || number(count, 1) != nil else { return false }
      faults.refuseOpen = OpenRefusal(count: number(count, 1), protocolName: name)
      return true
    },
    time("slow-open", \.slowOpen),
    Item(name: "held", takes: "a protocol, as in com.example.print or com.example.print+2000") { faults, text in
      guard let (name, duration) = delayed(text), !name.isEmpty else { return false }
      faults.held.append(HeldProtocol(name, for: duration))
      return true
    },
    time("linger", \.linger), count("swallow", "bytes", \.swallow), count("space", "bytes", \.space),
    count("short-read", "bytes", \.shortRead), count("mute-input", "events", \.muteInput),
    count("mute-output", "events", \.muteOutput), time("hang-property", \.hangProperty),
    choice("end-as", ["end": .end, "error": .error, "silent": .silent, "one": .inputOnly]) { $0.endAs = $1 },
    choice("order", ["streams-first": false, "notice-first": true]) { $0.noticeFirst = $1 },
    time("delay-notice", \.delayNotice), probability("lose-connect", \.loseConnect),
    probability("lose-notice", \.loseNotice), time("early-connect", \.earlyConnect), time("ghost", \.ghost),
    Item(name: "hidden", takes: "a number of connections, at least 1") { faults, text in
      guard let count = number(text, 1) else { return false }
      faults.hidden = count
      return true
    },
    flag("empty-until-registration") { $0.emptyUntilRegistration = true },
    flag("strict-thread") { $0.strictThread = true },
    Item(name: "picker", takes: "select:NAME, cancel, none, fail or already, as in cancel+500") { faults, text in
      guard let (answer, delay) = delayed(text), let answer = PickerAnswer(answer) else { return false }
      (faults.picker, faults.pickerDelay) = (answer, delay)
      return true
    },
  ]

  // MARK: Kinds of items

  private static func time(_ name: String, _ place: any WritableKeyPath<PhoneFaults, Duration?> & Sendable) -> Item {
    Item(name: name, takes: "milliseconds") { faults, text in
      guard let milliseconds = number(text, 0) else { return false }
      faults[keyPath: place] = .milliseconds(milliseconds)
      return true
    }
  }

  private static func count(
    _ name: String, _ unit: String, _ place: any WritableKeyPath<PhoneFaults, Int?> & Sendable
  ) -> Item {
    Item(name: name, takes: "a number of \(unit), at least 1") { faults, text in
      guard let count = number(text, 1) else { return false }
      faults[keyPath: place] = count
      return true
    }
  }

  private static func probability(
    _ name: String, _ place: any WritableKeyPath<PhoneFaults, Double> & Sendable
  ) -> Item {
    Item(name: name, takes: "a probability of 0 to 1") { faults, text in
      guard let value = Double(text), (0...1).contains(value) else { return false }
      faults[keyPath: place] = value
      return true
    }
  }

  private static func choice<Value: Sendable>(
    _ name: String, _ values: [String: Value], _ set: @escaping @Sendable (inout PhoneFaults, Value) -> Void
  ) -> Item {
    Item(name: name, takes: "one of \(values.keys.sorted().joined(separator: ", "))") { faults, text in
      guard let value = values[text] else { return false }
      set(&faults, value)
      return true
    }
  }

  private static func flag(_ name: String, _ set: @escaping @Sendable (inout PhoneFaults) -> Void) -> Item {
    Item(name: name) { faults, text in
      set(&faults)
      return text.isEmpty
    }
  }

  // MARK: Values

  /// The maximum of counts and milliseconds: a day, and a buffer that fits into memory.
  private static let maximum = 86_400_000

  private static func number(_ text: String, _ least: Int) -> Int? {
    Int(text).flatMap { (least...maximum).contains($0) ? $0 : nil }
  }

  private static func divide(_ text: String, at mark: Character) -> (String, String?) {
    let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// Returns a value and the milliseconds after its `+`; nil if these are no number.
  private static func delayed(_ text: String) -> (String, Duration?)? {
    let (value, time) = divide(text, at: "+")
    guard let time else { return (value, nil) }
    return number(time, 0).map { (value, .milliseconds($0)) }
  }
}

extension PickerAnswer {
  fileprivate init?(_ text: String) {
    switch text {
    case "cancel": self = .cancel
    case "none": self = .notFound
    case "fail": self = .fail
    case "already": self = .alreadyConnected
    case _ where text.hasPrefix("select:") && text.count > 7: self = .select(String(text.dropFirst(7)))
    default: return nil
    }
  }
}

/// The text of faults: those of the phone by their names, and all others as a plan of the transport's faults.
struct FaultText {
  /// The plan of the transport's faults; nil without any.
  private(set) var plan: FaultPlan?
  private var phoneItems: [String] = []
  private var seed: UInt64?

  init(_ text: String) throws(ConfigurationProblem) {
    guard !text.isEmpty else { return }
    let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !items.contains("") else {
      throw ConfigurationProblem("the faults \"\(text)\" have nothing between two commas, or at an end")
    }
    func isOfPhone(_ item: String) -> Bool { PhoneFaults.names.contains(String(item.prefix { $0 != "=" })) }
    phoneItems = items.filter(isOfPhone)
    seed = FaultPlan.namedSeed(in: text)
    let rest = items.filter { !isOfPhone($0) }.joined(separator: ",")
    // The check of the values does not depend on the faults that are set already.
    var checked = PhoneFaults()
    try apply(to: &checked)
    guard !rest.isEmpty else { return }
    do throws(FaultPlan.Problem) { plan = try FaultPlan(parsing: rest, seed: 1, events: RoleEvent.names) } catch {
      var reason = error.text
      if case .unknownName = error { reason += "; those of the phone are \(PhoneFaults.names.joined(separator: ", "))" }
      throw ConfigurationProblem("the fault plan \"\(text)\" is wrong: \(reason)")
    }
  }

  /// Adds the faults of the phone to others.
  func apply(to faults: inout PhoneFaults) throws(ConfigurationProblem) {
    for item in phoneItems { try faults.add(item) }
    if let seed { faults.seed = seed }
  }
}

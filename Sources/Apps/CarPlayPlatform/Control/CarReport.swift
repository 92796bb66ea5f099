// swift-iap2 · Apache-2.0

public import Foundation

/// A line from an app. The key `report` names its kind.
public enum CarReport: Sendable, Hashable {
  /// The first line.
  case hello(Hello)
  /// A call between app and car.
  case call(CarEvent)
  /// An image of the next screen, before the screen shows it for the first time.
  case image(CarImage)
  /// The end of an answer.
  case done(Done)
  /// A fault in a file; the app ends.
  case badInput(BadInput)
  /// Work on the phone's transport. It can come at any time.
  case transport(CarTransport.Work)
  /// Bytes on the cable of the iAP2 connection in memory, if the program asked for them.
  case link(LinkBytes)

  /// The introduction of the app.
  public struct Hello: Sendable, Hashable, Codable {
    /// The version of the line format.
    public var version: Int
    /// The name of the app.
    public var app: String
    /// The categories that the app's entitlements grant.
    public var categories: [AppCategory]
    /// The names of the car profiles that the app's host has.
    public var cars: [String]

    /// Creates an introduction.
    public init(version: Int, app: String, categories: [AppCategory], cars: [String]) {
      self.version = version
      self.app = app
      self.categories = categories
      self.cars = cars
    }
  }

  /// The result of a step, and the state of the car after it.
  public struct Done: Sendable, Hashable, Codable {
    /// The number of the request.
    public var id: Int
    /// The reason why the step failed; nil after a success.
    public var problem: String?
    /// The car after the step.
    public var state: CarState
    /// The reports about the app since the last answer.
    public var diagnostics: [Diagnostic]
    /// The indices, from 0, of the calls since the last answer whose method the app does not implement.
    public var unimplemented: [Int]
    /// The end of the app by the system; nil while it runs.
    public var end: End?
    /// The identifiers of images that the state does not show and the app forgets. An image that is shown again is
    /// reported again. Nil for none.
    package var forgottenImages: [String]?

    /// Creates a result.
    public init(
      id: Int, problem: String? = nil, state: CarState, diagnostics: [Diagnostic] = [], unimplemented: [Int] = [],
      end: End? = nil
    ) {
      self.id = id
      self.problem = problem
      self.state = state
      self.diagnostics = diagnostics
      self.unimplemented = unimplemented
      self.end = end
    }
  }

  /// The end of an app by the system.
  public struct End: Sendable, Hashable, Codable {
    /// The reason, as a crash log prints it.
    public var reason: String
    /// The place in the app's code; empty if it is unknown.
    public var place: String

    /// Creates an end.
    public init(reason: String, place: String) {
      self.reason = reason
      self.place = place
    }
  }

  /// A report about the app, with its place as text.
  public struct Diagnostic: Sendable, Hashable, Codable {
    /// The kind.
    public var kind: CarDiagnostic.Kind
    /// The event.
    public var what: String
    /// The car's reaction.
    public var carShows: String
    /// The remedy.
    public var remedy: String
    /// The place in the app's code; empty if it is unknown.
    public var place: String

    /// Creates a report from a host's report.
    public init(_ diagnostic: CarDiagnostic) {
      kind = diagnostic.kind
      what = diagnostic.what
      carShows = diagnostic.carShows
      remedy = diagnostic.remedy
      place = diagnostic.place.description
    }
  }

  /// Bytes that one side of the iAP2 connection in memory sent.
  public struct LinkBytes: Sendable, Hashable, Codable {
    /// The virtual time in seconds since the car's start.
    public var time: Double
    /// The number of the connection from 1.
    public var connection: Int
    /// Whether the head unit sent them; otherwise the phone did.
    public var isFromHeadUnit: Bool
    /// The bytes.
    public var bytes: Data

    /// Creates bytes with their place.
    public init(time: Double, connection: Int, isFromHeadUnit: Bool, bytes: Data) {
      (self.time, self.connection, self.isFromHeadUnit, self.bytes) = (time, connection, isFromHeadUnit, bytes)
    }
  }

  /// A fault in a file.
  public struct BadInput: Sendable, Hashable, Codable {
    /// The fault in one line: file, line, key and the allowed values.
    public var text: String

    /// Creates a fault.
    public init(text: String) { self.text = text }
  }
}

/// The state of the car that a driver and a test can see.
public struct CarState: Sendable, Hashable, Codable {
  /// The virtual time in seconds since the car's start.
  public var time: Double
  /// The part of the screen in front.
  public var front: CarFront
  /// Whether phone and car are connected.
  public var isConnected: Bool
  /// Whether the app still has a connection that has ended.
  public var hasGhostConnection: Bool
  /// Whether the car moves.
  public var isDriving: Bool
  /// Whether the phone is locked.
  public var isLocked: Bool
  /// The screen.
  public var screen: ScreenNode
  /// The indices, in the order of ``ScreenNode/all``, of the parts of the screen that react to a tap.
  public var reacting: [Int]
  /// The dashboard; nil without one.
  public var dashboard: ScreenNode?
  /// The app's part of the instrument cluster; nil without one.
  public var cluster: ScreenNode?
  /// The reports about parts of the screen; nil for none.
  package var partReports: [PartReport]?
  /// The map below a map template, if the program asked for pictures.
  public var map: CarMap?
  /// The current look of the car; nil if the host does not report it.
  public var look: CarLook?
  /// The display of the head unit over iAP2; nil without an iAP2 connection.
  public var headUnit: HeadUnitDisplay?
  /// The phone's battery in percent, and whether it charges; nil without an iAP2 connection.
  package var battery: Int?
  package var isCharging: Bool?
  /// The type of the app's scene delegate with its module, for tests that are written from a run; nil before the first
  /// connection.
  package var delegate: String?
  /// The activity of the app in a live car; nil in others.
  package var activity: PhoneActivity?
  /// The app's report for the head unit over iAP2, as JSON of `AppReport` in IAP2Roles; nil in a car that is not live,
  /// and if the report has not changed since the last answer.
  package var report: String?

  /// A report about a part of the screen.
  package struct PartReport: Sendable, Hashable, Codable {
    /// The index of the part in ``ScreenNode/all`` of the screen.
    package var part: Int
    /// The number of the report from 0, among all reports of the car.
    package var report: Int

    package init(part: Int, report: Int) { (self.part, self.report) = (part, report) }
  }

  /// Creates a state.
  public init(
    time: Double = 0, front: CarFront = .off, isConnected: Bool = false, hasGhostConnection: Bool = false,
    isDriving: Bool = false, isLocked: Bool = false, screen: ScreenNode = ScreenNode(.off), reacting: [Int] = [],
    dashboard: ScreenNode? = nil, cluster: ScreenNode? = nil, map: CarMap? = nil, look: CarLook? = nil,
    headUnit: HeadUnitDisplay? = nil
  ) {
    self.time = time
    self.front = front
    self.isConnected = isConnected
    self.hasGhostConnection = hasGhostConnection
    self.isDriving = isDriving
    self.isLocked = isLocked
    self.screen = screen
    self.reacting = reacting
    self.dashboard = dashboard
    self.cluster = cluster
    self.map = map
    self.look = look
    self.headUnit = headUnit
  }

  private enum CodingKeys: String, CodingKey {
    case time, front, screen, reacting, dashboard, cluster, partReports, map, look, headUnit, battery, isCharging
    case delegate, activity, report
    case isConnected = "connected"
    case hasGhostConnection = "ghost"
    case isDriving = "driving"
    case isLocked = "locked"
  }
}

extension CarReport: Codable {
  private enum Key: String, CodingKey { case report }
  private enum Kind: String, Codable { case hello, call, image, done, badInput, transport, link }

  /// Reads a line.
  public init(from decoder: any Decoder) throws {
    switch try decoder.container(keyedBy: Key.self).decode(Kind.self, forKey: .report) {
    case .hello: self = .hello(try Hello(from: decoder))
    case .call: self = .call(try CarEvent(from: decoder))
    case .image: self = .image(try CarImage(from: decoder))
    case .done: self = .done(try Done(from: decoder))
    case .badInput: self = .badInput(try BadInput(from: decoder))
    case .transport: self = .transport(try CarTransport.Work(from: decoder))
    case .link: self = .link(try LinkBytes(from: decoder))
    }
  }

  /// Writes the line.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    switch self {
    case .hello(let hello):
      try values.encode(Kind.hello, forKey: .report)
      try hello.encode(to: encoder)
    case .call(let event):
      try values.encode(Kind.call, forKey: .report)
      try event.encode(to: encoder)
    case .image(let image):
      try values.encode(Kind.image, forKey: .report)
      try image.encode(to: encoder)
    case .done(let done):
      try values.encode(Kind.done, forKey: .report)
      try done.encode(to: encoder)
    case .badInput(let fault):
      try values.encode(Kind.badInput, forKey: .report)
      try fault.encode(to: encoder)
    case .transport(let work):
      try values.encode(Kind.transport, forKey: .report)
      try work.encode(to: encoder)
    case .link(let sent):
      try values.encode(Kind.link, forKey: .report)
      try sent.encode(to: encoder)
    }
  }
}

extension CarEvent: Codable {
  private enum Key: String, CodingKey { case time, direction, object, name, detail, implemented }

  /// The time in seconds.
  public var seconds: Double { Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18 }

  /// The longest accepted time in seconds: a century.
  private static let maximumSeconds = 3.2e9

  /// Reads an event; its time is in seconds.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let seconds = try values.decode(Double.self, forKey: .time)
    guard (0...Self.maximumSeconds).contains(seconds) else {
      throw DecodingError.dataCorruptedError(forKey: .time, in: values, debugDescription: "expected seconds")
    }
    self.init(
      time: .seconds(seconds), direction: try values.decode(Direction.self, forKey: .direction),
      object: try values.decodeIfPresent(String.self, forKey: .object) ?? "",
      name: try values.decode(String.self, forKey: .name),
      detail: try values.decodeIfPresent(String.self, forKey: .detail) ?? "",
      isImplemented: try values.decodeIfPresent(Bool.self, forKey: .implemented) ?? true)
  }

  /// Writes the event.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(seconds, forKey: .time)
    try values.encode(direction, forKey: .direction)
    if !object.isEmpty { try values.encode(object, forKey: .object) }
    try values.encode(name, forKey: .name)
    if !detail.isEmpty { try values.encode(detail, forKey: .detail) }
    if !isImplemented { try values.encode(false, forKey: .implemented) }
  }
}

// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

/// A request of the page.
package enum LabRequest: Sendable {
  /// A phase of a finger or of the mouse.
  package enum Phase: String, Codable, Sendable { case down, move, up }

  /// A file that the page saves.
  package enum Product: String, Codable, Sendable, CaseIterable { case yaml, swift, capture, picture, html }

  // For the session.
  case verb(CarAction)
  /// A step in the words of scenarios, as a line of YAML.
  case line(String)
  case touch(LabPicture.Display, Phase, x: Int, y: Int)
  /// The page whose finger is on the screen is gone.
  case letGo
  case pause, play, step, restart
  case speed(Double)
  case seek(Double)
  case car(String)
  case expect(part: Int)
  /// Expects the event of a row of the record.
  case expectEntry(Int)
  /// Plays a failure of the field, or takes it back.
  case failure(Int)
  /// Loses the next disconnect, or takes that back.
  case loseNext
  case unrecord(index: Int)
  case forget
  case save(Product)
  /// Saves what was recorded before the last restart.
  case saveEarlier(Product)
  case keyFrame
  case pictures(isPNG: Bool)
  // For the record.
  case detail(Int)
  case filter(id: Int, text: String)
}

/// The reason why a message of the page is no request.
struct LabRequestProblem: Error {
  var text: String
}

extension LabRequest {
  /// The longest line of a step in bytes.
  static let maximumLine = 4096
  /// The accepted speeds. Ours.
  package static let speeds = 0.1...100.0

  private struct Message: Decodable {
    var `do`: String?
    var ask: String?
    var verb: CarVerb?
    var arguments: [String: CarValue]?
    var display: UInt8?
    var phase: Phase?
    var x, y, value, time: Double?
    var name: String?
    var part, index, n, id: Int?
    var what: Product?
    var earlier: Bool?
    var text: String?
    var format: String?
  }

  /// Reads a message of the page.
  init(_ text: [UInt8]) throws(LabRequestProblem) {
    let message: Message
    do { message = try JSONDecoder().decode(Message.self, from: Data(text)) } catch {
      throw LabRequestProblem(
        text: "a message of the page is no request: \(String(decoding: text.prefix(80), as: UTF8.self))")
    }
    func needed<Value>(_ value: Value?, _ name: String) throws(LabRequestProblem) -> Value {
      guard let value else {
        throw LabRequestProblem(text: "\(message.do ?? message.ask ?? "a message") needs \(name)")
      }
      return value
    }
    func pixel(_ value: Double?, _ name: String) throws(LabRequestProblem) -> Int {
      // A finger may leave the picture.
      Int(max(-100_000, min(100_000, try needed(value, name))))
    }
    switch message.do ?? message.ask {
    case "verb":
      let action = CarAction(try needed(message.verb, "a verb"), message.arguments ?? [:])
      guard action.verb.isOfScenarios else {
        throw LabRequestProblem(text: "\(action.verb.rawValue) is no step of scenarios")
      }
      if let problem = action.problem { throw LabRequestProblem(text: problem) }
      self = .verb(action)
    case "line":
      let text = try needed(message.text, "a text")
      // A line of the recorder, and of a file, has a dash.
      let line = text.hasPrefix("- ") ? String(text.dropFirst(2)) : text
      guard !line.contains(where: \.isNewline), line.utf8.count <= Self.maximumLine else {
        throw LabRequestProblem(text: "a step is one line of at most \(Self.maximumLine) bytes")
      }
      self = .line(line)
    case "touch":
      guard let display = LabPicture.Display(rawValue: message.display ?? 0) else {
        throw LabRequestProblem(text: "no such display")
      }
      self = .touch(
        display, try needed(message.phase, "a phase"), x: try pixel(message.x, "x"), y: try pixel(message.y, "y"))
    case "pause": self = .pause
    case "play": self = .play
    case "step": self = .step
    case "restart": self = .restart
    case "forget": self = .forget
    case "keyFrame": self = .keyFrame
    case "speed":
      let value = try needed(message.value, "a value")
      guard Self.speeds.contains(value) else { throw LabRequestProblem(text: "a speed is 0.1 to 100") }
      self = .speed(value)
    case "seek": self = .seek(try needed(message.time, "a time"))
    case "car": self = .car(try needed(message.name, "a name"))
    case "expect":
      if let number = message.n {
        self = .expectEntry(number)
      } else {
        self = .expect(part: try needed(message.part, "a part"))
      }
    case "failure": self = .failure(try needed(message.n, "a number"))
    case "loseNext": self = .loseNext
    case "unrecord": self = .unrecord(index: try needed(message.index, "an index"))
    case "save":
      let product = try needed(message.what, "what to save")
      self = message.earlier == true ? .saveEarlier(product) : .save(product)
    case "pictures": self = .pictures(isPNG: message.format == "png")
    case "detail": self = .detail(try needed(message.n, "a number"))
    case "filter": self = .filter(id: message.id ?? 0, text: message.text ?? "")
    case let other: throw LabRequestProblem(text: "no such request: \(String((other ?? "").prefix(40)))")
    }
  }
}

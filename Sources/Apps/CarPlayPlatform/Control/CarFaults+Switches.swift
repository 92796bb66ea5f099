// swift-iap2 · Apache-2.0

import Foundation

extension CarFaults {
  /// The names of the faults, sorted, and whether each is a chance from 0 to 1 instead of true or false.
  public static let switches: [(name: String, isChance: Bool)] = {
    // Only the encoder knows the names of the properties, so they are read from an encoded value.
    do {
      let values = try JSONDecoder().decode([String: CarValue].self, from: JSONEncoder().encode(CarFaults()))
      return values.sorted { $0.key < $1.key }.map { name, value in
        if case .number = value { (name, true) } else { (name, false) }
      }
    } catch { preconditionFailure("the faults have only switches and chances: \(error)") }
  }()

  /// The effect of each fault on the car, by the fault's name: a clause for people.
  package static let summaries = [
    "loseDisconnect": "loses the notice of a disconnect, as one report saw in one of five",
    "killOnModalDisconnect": "ends the app if a template is presented at a disconnect",
    "denyGPUInBackground": "ends an app that draws with the GPU in the background",
    "overlapReconnect": "reports the new connection before the end of the old one",
    "strictOrder": "refuses a change during another one",
    "imageFailure": "leaves the remote image of a row a placeholder",
    "lateTraits": "says a display scale of zero until the scene is active",
    "artworkOffMain": "asks for artwork away from the main thread",
    "spontaneousCommands": "sends a shuffle or repeat command that nobody pressed when it connects",
    "dismissKeyboard": "closes the keyboard because the phone asks for its code",
    "offMainCallbacks": "calls the region callback of points of interest away from the main thread",
    "lateContentStyle": "has the wrong content style at connect and corrects it later",
    "splitStyles": "has another style than the phone",
    "stuckChange": "never finishes a change of the stack",
    "lateSearchAnswers": "shows search results in the order of arrival, so old ones replace new ones",
  ]

  /// Sets faults by name.
  ///
  /// - Throws: An error of decoding for an unknown name or a value of another type.
  public mutating func set(_ values: [String: CarValue]) throws {
    var all = try JSONDecoder().decode([String: CarValue].self, from: JSONEncoder().encode(self))
    all.merge(values) { $1 }
    self = try JSONDecoder().decode(CarFaults.self, from: JSONEncoder().encode(all))
  }
}

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

  /// Sets faults by name.
  ///
  /// - Throws: An error of decoding for an unknown name or a value of another type.
  public mutating func set(_ values: [String: CarValue]) throws {
    var all = try JSONDecoder().decode([String: CarValue].self, from: JSONEncoder().encode(self))
    all.merge(values) { $1 }
    self = try JSONDecoder().decode(CarFaults.self, from: JSONEncoder().encode(all))
  }
}

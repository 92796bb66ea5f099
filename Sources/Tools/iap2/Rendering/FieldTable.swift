// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Capture

/// Chosen fields of findings: a table with tabs, or an object a line. Findings that have none of them are left out.
struct FieldTable {
  let fields: [FindingField]

  /// - Parameter text: names with commas between them.
  init(parsing text: String) throws {
    fields = try text.split(separator: ",").map { word in
      do throws(FindingField.Problem) {
        return try FindingField(parsing: word.trimmingCharacters(in: .whitespaces))
      } catch {
        throw ValidationError(FilterText.text(error))
      }
    }
    guard !fields.isEmpty else { throw ValidationError("--fields takes names with commas between them") }
  }

  var header: String { fields.map(\.text).joined(separator: "\t") }

  /// Nil for a line with nothing to show.
  func row(_ line: DecodedLine) -> String? {
    values(line)?.map { $0.map { DecodedText.printable($0.text) }.joined(separator: ",") }.joined(separator: "\t")
  }

  func object(_ line: DecodedLine) -> Row? {
    values(line).map { Row(values: Array(zip(fields, $0))) }
  }

  private func values(_ line: DecodedLine) -> [[FindingValue]]? {
    let values = fields.map { $0.values(line) }
    let isSpecial = zip(fields, values).contains { !$0.isCommon && !$1.isEmpty }
    return isSpecial || fields.allSatisfy(\.isCommon) ? values : nil
  }

  /// Nothing is null, several values are a list.
  struct Row: Encodable {
    fileprivate let values: [(field: FindingField, values: [FindingValue])]

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      for (field, values) in values {
        let key = Key(stringValue: field.text)
        switch values.count {
        case 0: try object.encodeNil(forKey: key)
        case 1: try object.encode(Value(value: values[0]), forKey: key)
        default: try object.encode(values.map(Value.init), forKey: key)
        }
      }
    }
  }

  private struct Value: Encodable {
    let value: FindingValue

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      switch value {
      // JSON readers lose digits of larger numbers.
      case .integer(let number) where number.magnitude < 1 << 53: try single.encode(Int64(number))
      case .seconds(let number): try single.encode(number)
      case .integer, .text, .name, .bytes: try single.encode(value.text)
      }
    }
  }
}

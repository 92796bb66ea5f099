// swift-iap2 · Apache-2.0

import IAP2

/// The values of chosen fields of findings, as rows with tabs or as JSON objects. A finding without any of the fields
/// has no row.
package struct FieldTable {
  /// The fields in the order of the columns.
  package let fields: [FindingField]

  /// Creates a table with these columns.
  package init(_ fields: [FindingField]) { self.fields = fields }

  /// The names of the fields, with tabs between them.
  package var header: String { fields.map(\.text).joined(separator: "\t") }

  /// Returns the values of a finding with tabs between them; nil if it has none.
  package func row(_ line: DecodedLine) -> String? {
    values(line)?.map { $0.map { $0.text.printable }.joined(separator: ",") }.joined(separator: "\t")
  }

  /// Returns the values of a finding as a JSON object; nil if it has none.
  package func object(_ line: DecodedLine) -> Row? {
    values(line).map { Row(values: Array(zip(fields, $0))) }
  }

  private func values(_ line: DecodedLine) -> [[FindingValue]]? {
    let values = fields.map { $0.values(line) }
    let isSpecial = zip(fields, values).contains { !$0.isCommon(in: line) && !$1.isEmpty }
    return isSpecial || fields.allSatisfy { $0.isCommon(in: line) } ? values : nil
  }

  /// A row in JSON: no value is null, several values are an array.
  package struct Row: Encodable {
    fileprivate let values: [(field: FindingField, values: [FindingValue])]

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      for (field, values) in values {
        let key = Key(stringValue: field.text)
        switch values.count {
        case 0: try object.encodeNil(forKey: key)
        case 1: try object.encode(values[0], forKey: key)
        default: try object.encode(values, forKey: key)
        }
      }
    }
  }
}

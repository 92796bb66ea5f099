// swift-iap2 · Apache-2.0

package import Basics

/// A description of the allowed values of a YAML file. It gives the reader of a value, the part of the JSON Schema with
/// which editors complete and check it, and the words of lists and errors.
package struct Form<Value: Sendable>: Sendable {
  /// The allowed values.
  package let schema: Schema
  /// Reads a value. Throws the first problem with its place.
  package let read: @Sendable (YAMLValue) throws(FileProblem) -> Value

  /// Creates a form. The other initializers and functions keep schema and reader together; this one is for forms that
  /// they cannot describe.
  package init(_ schema: Schema, read: @escaping @Sendable (YAMLValue) throws(FileProblem) -> Value) {
    self.schema = schema
    self.read = read
  }

  /// Returns the form of a value that is made from this one.
  package func map<New>(_ make: @escaping @Sendable (Value) -> New) -> Form<New> {
    Form<New>(schema) { [read] value throws(FileProblem) in make(try read(value)) }
  }

  /// Returns the form of a value that is made from this one, with a check that the schema cannot express.
  package func checked<New>(
    _ make: @escaping @Sendable (Value, YAMLValue) throws(FileProblem) -> New
  ) -> Form<New> {
    Form<New>(schema) { [read] value throws(FileProblem) in try make(try read(value), value) }
  }

  /// Returns the form with a name, under which a schema has it once.
  package func named(_ name: String) -> Form { Form(.named(name, schema), read: read) }

  /// Returns the form with this schema, for values of which an editor can check less or more.
  package func with(_ schema: Schema) -> Form { Form(schema, read: read) }
}

// MARK: Mappings

extension Form {
  /// The form of a mapping that has at least one of these keys.
  package func requiring(oneOf names: [String]) -> Form {
    Form(schema.requiring(oneOf: names)) { [read] value throws(FileProblem) in
      let keys = value.isMapping ? try value.entries().map(\.name) : names
      guard keys.contains(where: names.contains) else {
        throw value.problem("expected \(names.joined(separator: " or "))")
      }
      return try read(value)
    }
  }
}

/// A key of a mapping with the form of its value.
package struct Key<Value: Sendable>: Sendable {
  let name: String
  let schema: Schema
  let isRequired: Bool
  let read: @Sendable (Fields) throws(FileProblem) -> Value

  /// A key that may be missing.
  package static func optional<Inner>(_ name: String, _ form: Form<Inner>) -> Key where Value == Inner? {
    Key(name: name, schema: form.schema, isRequired: false) { fields throws(FileProblem) in
      guard let value = fields[name] else { return nil }
      return try form.read(value)
    }
  }

  /// A key that may be missing, with the value that it has then.
  package static func key(_ name: String, _ form: Form<Value>, or missing: Value) -> Key {
    Key(name: name, schema: form.schema, isRequired: false) { fields throws(FileProblem) in
      guard let value = fields[name] else { return missing }
      return try form.read(value)
    }
  }

  /// A key that every mapping has.
  package static func required(_ name: String, _ form: Form<Value>) -> Key {
    Key(name: name, schema: form.schema, isRequired: true) { fields throws(FileProblem) in
      guard let value = fields[name] else { throw fields.value.problem("\(name) is missing: \(form.schema.words)") }
      return try form.read(value)
    }
  }
}

/// The values of a mapping by key.
package struct Fields {
  package let value: YAMLValue
  let values: [String: YAMLValue]

  subscript(name: String) -> YAMLValue? { values[name] }

  /// The line of a key's value from 1; nil without the key.
  package func line(of name: String) -> Int? { values[name]?.line }

  /// Returns a problem of several keys together.
  package func problem(_ text: String) -> FileProblem { value.problem(text) }
}

extension Form {
  /// A mapping with these keys and no others.
  ///
  /// - Parameter make: Makes the value from those of the keys. It gets the fields for problems of several keys together.
  package static func keys<each Part: Sendable>(
    _ key: repeat Key<each Part>, make: @escaping @Sendable (Fields, repeat each Part) throws(FileProblem) -> Value
  ) -> Form {
    var properties: [String: Schema] = [:]
    var required: [String] = []
    for one in repeat each key {
      properties[one.name] = one.schema
      if one.isRequired { required.append(one.name) }
    }
    let names = Array(properties.keys)
    return Form(.keys(properties, required: required)) { value throws(FileProblem) in
      let fields = Fields(value: value, values: try value.fields(names))
      return try make(fields, repeat try (each key).read(fields))
    }
  }
}

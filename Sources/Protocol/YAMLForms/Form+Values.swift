// swift-iap2 · Apache-2.0

import Basics

// MARK: Scalars

extension Form where Value == String {
  /// A text of at most ``YAMLValue/maximumTextByteCount`` bytes.
  package static let text = text(atMost: YAMLValue.maximumTextByteCount)

  /// A text of at most this number of bytes.
  package static func text(atMost limit: Int) -> Form {
    Form(.string) { value throws(FileProblem) in try value.text(atMost: limit) }
  }
}

extension Form where Value == Int {
  /// A plain decimal integer.
  package static func integer(_ range: ClosedRange<Int>) -> Form {
    Form(.integer(range)) { value throws(FileProblem) in try value.integer(range) }
  }

  /// A number of seconds in a file, in milliseconds in the program.
  package static func seconds(_ range: ClosedRange<Double>) -> Form {
    Form<Double>.number(range).map { Int($0 * 1000) }
  }
}

extension Form where Value == Double {
  package static func number(_ range: ClosedRange<Double>) -> Form {
    Form(.number(range)) { value throws(FileProblem) in try value.number(range) }
  }
}

extension Form where Value == Bool {
  package static let flag = Form(.boolean) { value throws(FileProblem) in try value.flag() }
}

extension Form where Value == Void {
  /// The value `true` of a key without argument.
  package static let done = Form(.done) { value throws(FileProblem) in try value.confirm() }
}

extension Form {
  /// One of these texts.
  package static func choice(_ choices: [String: Value]) -> Form {
    Form(.choice(choices.keys.sorted())) { value throws(FileProblem) in try value.choice(choices) }
  }
}

extension Form where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of the raw values of the type.
  package static var choice: Form {
    let cases = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0.rawValue, $0) })
    return Form(.choice(cases.keys.sorted())) { value throws(FileProblem) in try value.choice(cases) }
  }
}

// MARK: Lists and alternatives

extension Form {
  /// A list of values.
  ///
  /// - Parameters:
  ///   - count: The allowed numbers of values; nil for any.
  ///   - words: What the list has, for the problem of another number of values.
  package static func list<Element: Sendable>(
    _ element: Form<Element>, count: ClosedRange<Int>? = nil, _ words: String = "values"
  ) -> Form where Value == [Element] {
    Form(.array(element.schema, count: count)) { value throws(FileProblem) in
      let values = try value.list()
      guard count?.contains(values.count) != false else { throw value.problem("expected \(words)") }
      var all: [Element] = []
      for value in values { all.append(try element.read(value)) }
      return all
    }
  }

  /// One value, or a list of them that is not empty.
  package static func oneOrMore<Element: Sendable>(_ element: Form<Element>) -> Form where Value == [Element] {
    Form(.anyOf([element.schema, .array(element.schema, count: 1...Int.max)])) { value throws(FileProblem) in
      guard value.isList else { return [try element.read(value)] }
      let all = try Form.list(element).read(value)
      guard !all.isEmpty else { throw value.problem("an empty list is not a condition") }
      return all
    }
  }

  /// A mapping from any keys to values of a form, in the order of the file.
  package static func entries<Element: Sendable>(
    _ element: Form<Element>
  ) -> Form where Value == [(name: String, value: Element)] {
    Form(.entries(element.schema)) { value throws(FileProblem) in
      var all: [(name: String, value: Element)] = []
      for (name, value) in try value.entries() { all.append((name, try element.read(value))) }
      return all
    }
  }

  /// A scalar or a list, or a mapping.
  package static func value(_ plain: Form, orKeys keys: Form) -> Form {
    Form(.anyOf([plain.schema, keys.schema])) { value throws(FileProblem) in
      value.isMapping ? try keys.read(value) : try plain.read(value)
    }
  }

  /// A scalar, or a list.
  package static func scalar(_ scalar: Form, orList list: Form) -> Form {
    let schema = Schema.anyOf([scalar.schema, list.schema])
    return Form(schema) { value throws(FileProblem) in
      guard !value.isMapping else { throw value.problem("expected \(schema.words)") }
      return value.isList ? try list.read(value) : try scalar.read(value)
    }
  }

  /// Mappings of several kinds: the first whose key the mapping has, otherwise the last.
  package static func keyed(_ kinds: [(key: String, form: Form)], otherwise last: Form) -> Form {
    Form(.anyOf((kinds.map(\.form) + [last]).map(\.schema))) { value throws(FileProblem) in
      let names = value.isMapping ? try value.entries().map(\.name) : []
      let kind = kinds.first { names.contains($0.key) }
      return try (kind?.form ?? last).read(value)
    }
  }

  /// The value, or `{file: FILE}` with a file that contains it.
  package static func included(_ form: Form) -> Form {
    Form(.anyOf([.keys(["file": .string], required: ["file"]), form.schema])) { value throws(FileProblem) in
      try form.read(try value.included())
    }
  }
}

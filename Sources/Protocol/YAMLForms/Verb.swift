// swift-iap2 · Apache-2.0

import Basics

/// A key with its meaning: a step of a script, or a setting.
package struct Verb<Outcome: Sendable>: Sendable {
  package let name: String
  /// The meaning, in one sentence.
  package let summary: String
  /// The form of its argument.
  package let form: Form<Outcome>

  package init(_ name: String, _ summary: String, _ form: Form<Outcome>) {
    (self.name, self.summary, self.form) = (name, summary, form)
  }

  package init<Argument>(
    _ name: String, _ summary: String, _ form: Form<Argument>, _ make: @escaping @Sendable (Argument) -> Outcome
  ) {
    self.init(name, summary, form.map(make))
  }

  package func map<New>(_ make: @escaping @Sendable (Outcome) -> New) -> Verb<New> {
    Verb<New>(name, summary, form.map(make))
  }

  /// The verb in a list: its name, its meaning, and its argument or the keys of it.
  package var words: (name: String, summary: String, values: [String]) {
    (name, summary, form.schema.lines.filter { $0 != "true" })
  }
}

extension Form {
  /// A mapping with exactly one of these verbs: the verb's name and what it makes.
  ///
  /// - Parameter kind: What the verbs are, for errors, such as `step of the phone`.
  package static func one<Outcome>(
    of verbs: [Verb<Outcome>], _ kind: String
  ) -> Form where Value == (verb: String, outcome: Outcome) {
    let names = verbs.map(\.name)
    let forms = Dictionary(uniqueKeysWithValues: verbs.map { ($0.name, $0.form) })
    return Form(.oneKey(of: forms.mapValues(\.schema))) { value throws(FileProblem) in
      let (name, argument) = try value.single(of: names, kind)
      guard let form = forms[name] else { throw value.problem("no \(kind) is called \"\(name)\"") }
      return (name, try form.read(argument))
    }
  }

  /// A mapping with any of these verbs: what they make, in the order of the verbs and not of the file.
  package static func any<Outcome>(
    of verbs: [Verb<Outcome>], required: [String] = []
  ) -> Form where Value == [Outcome] {
    let names = verbs.map(\.name)
    let properties = Dictionary(uniqueKeysWithValues: verbs.map { ($0.name, $0.form.schema) })
    return Form(.keys(properties, required: required)) { value throws(FileProblem) in
      let fields = try value.fields(names)
      if let missing = required.first(where: { fields[$0] == nil }) {
        throw value.problem("\(missing) is missing: \(properties[missing]?.words ?? "")")
      }
      var all: [Outcome] = []
      for verb in verbs { if let argument = fields[verb.name] { all.append(try verb.form.read(argument)) } }
      return all
    }
  }
}

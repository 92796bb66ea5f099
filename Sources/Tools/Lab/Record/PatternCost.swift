// swift-iap2 · Apache-2.0

/// The work of a regular expression that finds nothing, in steps of a matcher that tries every alternative.
///
/// The matcher of the standard library is one, and cannot be interrupted. So the lab refuses a pattern whose work grows
/// exponentially with the text, and leaves out texts for which another one needs too many steps.
struct PatternCost: Sendable {
  /// The repetitions that have no upper limit.
  private var endless = 0
  /// The product of the choices that do not depend on the text.
  private var choices = 1.0

  /// The most choices of a pattern. Ours.
  private static let maximumChoices = 256.0
  /// The most repetitions without an upper limit. Ours.
  private static let maximumEndless = 3
  /// The most steps for one text: less than a minute. Ours.
  private static let maximumSteps = 1e9

  /// The reason why a pattern is refused.
  struct Problem: Error {
    var text: String
  }

  /// An open group, or the whole pattern.
  private struct Group {
    var hasChoice = false
  }

  init(_ pattern: String) throws(Problem) {
    let signs = Array(pattern)
    var groups = [Group()]
    var index = 0
    // The item before a repetition: a group with a choice, something else, or nothing.
    var last: (isRepeatable: Bool, hasChoice: Bool) = (false, false)
    while index < signs.count {
      let sign = signs[index]
      index += 1
      switch sign {
      case "\\":
        if index < signs.count, signs[index].isNumber || signs[index] == "k" || signs[index] == "g" {
          throw Problem(text: "a reference to a group may take too long here")
        }
        index += 1
        last = (true, false)
      case "[":
        try Self.skipClass(signs, &index)
        last = (true, false)
      case "(":
        if index < signs.count, signs[index] == "?" {
          guard index + 1 < signs.count, signs[index + 1] == ":" else {
            throw Problem(text: "only groups of the forms ( and (?: are possible here")
          }
          index += 2
        }
        groups.append(Group())
        last = (false, false)
      case ")":
        let group = groups.count > 1 ? groups.removeLast() : Group()
        if group.hasChoice { groups[groups.count - 1].hasChoice = true }
        last = (true, group.hasChoice)
      case "|":
        groups[groups.count - 1].hasChoice = true
        choices *= 2
        last = (false, false)
      case "*", "+", "?", "{":
        guard last.isRepeatable else { continue }
        let most = Self.most(sign, signs, &index)
        if most == nil || most ?? 0 > 1, last.hasChoice {
          throw Problem(text: "a repeated group with a repetition or alternatives inside may take too long here")
        }
        if let most { choices *= Double(max(2, most)) } else { endless += 1 }
        groups[groups.count - 1].hasChoice = true
        // A further sign makes the repetition lazy or possessive.
        if index < signs.count, "?+".contains(signs[index]) { index += 1 }
        last = (false, false)
      default: last = (true, false)
      }
    }
    guard endless <= Self.maximumEndless, choices <= Self.maximumChoices else {
      throw Problem(text: "a pattern with so many repetitions or alternatives may take too long here")
    }
  }

  /// Whether a text of this length needs too many steps.
  func isTooLong(_ count: Int) -> Bool {
    guard endless > 0 else { return false }
    return (0...endless).reduce(choices) { steps, _ in steps * Double(count) } > Self.maximumSteps
  }

  /// Skips the rest of a class such as `[a-z]`.
  private static func skipClass(_ signs: [Character], _ index: inout Int) throws(Problem) {
    while index < signs.count, signs[index] != "]" {
      if signs[index] == "[" { throw Problem(text: "a class in a class is not possible here") }
      index += signs[index] == "\\" ? 2 : 1
    }
    index += 1
  }

  /// Returns the upper limit of a repetition; nil for none.
  private static func most(_ sign: Character, _ signs: [Character], _ index: inout Int) -> Int? {
    switch sign {
    case "?": return 1
    case "{":
      let rest = signs[index...].prefix { $0 != "}" }
      index = min(signs.count, rest.endIndex + 1)
      let last = rest.split(separator: ",", omittingEmptySubsequences: false).last ?? []
      return Int(String(last))
    default: return nil
    }
  }
}

// swift-iap2 · Apache-2.0

/// A part of a pattern.
indirect enum PatternNode {
  case empty
  case bytes(ByteSet)
  case lineStart
  case lineEnd
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A part from `least` to `most` times; `most` is nil for no limit.
  case repetition(PatternNode, least: Int, most: Int?)
}

/// A parser of patterns.
struct PatternParser {
  private let characters: [Character]
  private var index = 0
  private var depth = 0

  /// The groups in groups at most.
  private static let maximumDepth = 50

  init(_ text: String) { characters = Array(text) }

  mutating func parse() throws(DataPattern.Problem) -> PatternNode {
    let node = try choice()
    guard index == characters.count else { throw problem("there is no group that this ) closes") }
    return node
  }

  private func problem(_ text: String) -> DataPattern.Problem { DataPattern.Problem(offset: index, text: text) }

  private var next: Character? { index < characters.count ? characters[index] : nil }

  private mutating func take(_ character: Character) -> Bool {
    guard next == character else { return false }
    index += 1
    return true
  }

  private mutating func choice() throws(DataPattern.Problem) -> PatternNode {
    var nodes = [try sequence()]
    while take("|") { nodes.append(try sequence()) }
    return nodes.count == 1 ? nodes[0] : .choice(nodes)
  }

  private mutating func sequence() throws(DataPattern.Problem) -> PatternNode {
    var nodes: [PatternNode] = []
    while let character = next, character != "|", character != ")" {
      let node = try part()
      nodes.append(try repeated(node))
    }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func part() throws(DataPattern.Problem) -> PatternNode {
    guard let character = next else { return .empty }
    switch character {
    case "(": return try group()
    case "[": return .bytes(try byteClass())
    case "\\": return .bytes(try escape())
    case "*", "+", "?", "{": throw problem("nothing stands before \(character) that could be repeated")
    default: break
    }
    index += 1
    switch character {
    case ".": return .bytes(ByteSet([0x0A]).inverted)
    case "^": return .lineStart
    case "$": return .lineEnd
    default: return .sequence(character.utf8.map { .bytes(ByteSet([$0])) })
    }
  }

  private mutating func group() throws(DataPattern.Problem) -> PatternNode {
    guard depth < Self.maximumDepth else { throw problem("more than \(Self.maximumDepth) groups in each other") }
    index += 1
    depth += 1
    defer { depth -= 1 }
    if take("?") {
      guard take(":") else { throw problem("after (? only : is known") }
    }
    let node = try choice()
    guard take(")") else { throw problem("the group has no )") }
    return node
  }

  // MARK: Repetitions

  private mutating func repeated(_ node: PatternNode) throws(DataPattern.Problem) -> PatternNode {
    switch next {
    case "*":
      index += 1
      return try once(.repetition(node, least: 0, most: nil))
    case "+":
      index += 1
      return try once(.repetition(node, least: 1, most: nil))
    case "?":
      index += 1
      return try once(.repetition(node, least: 0, most: 1))
    case "{":
      index += 1
      let least = try number()
      var most: Int? = least
      if take(",") { most = next == "}" ? nil : try number() }
      guard take("}") else { throw problem("expected } after the repetition") }
      if let most, most < least { throw problem("the repetition ends below its begin") }
      return try once(.repetition(node, least: least, most: most))
    default: return node
    }
  }

  /// Refuses a second repetition. A match is as short as possible, so that `?` after a repetition has no meaning.
  private func once(_ node: PatternNode) throws(DataPattern.Problem) -> PatternNode {
    if let next, "*+?{".contains(next) { throw problem("only one of * + ? {} may follow; group the part before") }
    return node
  }

  private mutating func number() throws(DataPattern.Problem) -> Int {
    var digits = ""
    while let character = next, character.isASCII, character.isNumber {
      digits.append(character)
      index += 1
    }
    guard let number = Int(digits), number <= DataPattern.maximumRepetitions else {
      throw problem("expected a number from 0 to \(DataPattern.maximumRepetitions)")
    }
    return number
  }

  // MARK: Bytes

  private mutating func escape() throws(DataPattern.Problem) -> ByteSet {
    index += 1
    guard let character = next else { throw problem("nothing follows the \\") }
    index += 1
    let digits = ByteSet(0x30...0x39)
    let space = ByteSet([0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D])
    var word = ByteSet(Array(0x41...0x5A) + Array(0x61...0x7A) + [0x5F])
    word.formUnion(digits)
    switch character {
    case "d": return digits
    case "D": return digits.inverted
    case "s": return space
    case "S": return space.inverted
    case "w": return word
    case "W": return word.inverted
    case "n": return ByteSet([0x0A])
    case "r": return ByteSet([0x0D])
    case "t": return ByteSet([0x09])
    case "0": return ByteSet([0x00])
    case "x":
      let digits = characters[index...].prefix(2)
      guard digits.count == 2, digits.allSatisfy({ $0.isHexDigit }), let byte = UInt8(String(digits), radix: 16) else {
        throw problem("expected two hexadecimal digits after \\x")
      }
      index += 2
      return ByteSet([byte])
    default:
      guard let byte = character.asciiValue, !character.isLetter, !character.isNumber else {
        index -= 1
        throw problem(
          "\\\(character) is unknown; known are \\d \\w \\s \\D \\W \\S \\n \\r \\t \\0 \\xHH and \\ before a sign")
      }
      return ByteSet([byte])
    }
  }

  private mutating func byteClass() throws(DataPattern.Problem) -> ByteSet {
    index += 1
    let isInverted = take("^")
    var set = ByteSet([])
    var isFirst = true
    while isFirst || next != "]" {
      isFirst = false
      let (first, single) = try element()
      guard next == "-", index + 1 < characters.count, characters[index + 1] != "]" else {
        set.formUnion(first)
        continue
      }
      index += 1
      let (_, last) = try element()
      guard let single, let last, single <= last else { throw problem("the range of the class is reversed") }
      set.formUnion(ByteSet(single...last))
    }
    index += 1
    return isInverted ? set.inverted : set
  }

  /// Reads a character or an escape of a class. `single` is its byte if it is only one.
  private mutating func element() throws(DataPattern.Problem) -> (set: ByteSet, single: UInt8?) {
    guard let character = next else { throw problem("the class has no ]") }
    if character == "\\" {
      let set = try escape()
      let all = (UInt8.min...UInt8.max).filter { set.contains($0) }
      return (set, all.count == 1 ? all[0] : nil)
    }
    guard let byte = character.asciiValue else { throw problem("a class has ASCII characters and \\xHH only") }
    index += 1
    return (ByteSet([byte]), byte)
  }
}

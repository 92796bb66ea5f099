// swift-iap2 · Apache-2.0

/// A pattern for the bytes of an EA session. It is a regular expression with a bounded cost: the time for a byte does
/// not depend on the bytes before it, whatever the pattern is.
///
/// It has literals, `.`, classes such as `[a-z]` and `[^,]`, `\d \w \s` and their opposites, `\n \r \t \0 \xHH`,
/// groups, `|`, `* + ? {2} {2,} {2,5}`, and the line anchors `^` and `$`. A match is as short as possible, because
/// bytes arrive one after the other. `^` stands after a line feed or at the first unread byte, `$` before a line feed
/// or a carriage return.
struct DataPattern: Sendable, Equatable {
  /// An error in a pattern.
  struct Problem: Error, Equatable {
    /// The place of the error, as the number of characters before it.
    var offset: Int
    var text: String
  }

  /// An instruction of the automaton.
  fileprivate enum Instruction: Sendable, Equatable {
    /// Takes one byte of a set.
    case bytes(ByteSet)
    /// Goes on at both places.
    case split(Int, Int)
    case jump(Int)
    case lineStart
    case lineEnd
    case match
  }

  /// The pattern as it is shown to a person.
  let text: String
  private let program: [Instruction]

  /// The instructions of a pattern at most. They bound the time for a byte.
  static let maximumInstructions = 2000
  /// The repetitions in braces at most.
  static let maximumRepetitions = 500

  init(_ text: String) throws(Problem) {
    self.text = "/\(text)/"
    var parser = PatternParser(text)
    let node = try parser.parse()
    var program: [Instruction] = []
    try Self.compile(node, into: &program)
    program.append(.match)
    self.program = program
  }

  /// A pattern that is these bytes.
  init(bytes: [UInt8], text: String) {
    self.text = text
    program = bytes.map { .bytes(ByteSet([$0])) } + [.match]
  }

  // MARK: Compiling

  private static func compile(_ node: PatternNode, into program: inout [Instruction]) throws(Problem) {
    guard program.count < maximumInstructions else { throw Problem(offset: 0, text: "the pattern is too long") }
    switch node {
    case .empty: break
    case .bytes(let set): program.append(.bytes(set))
    case .lineStart: program.append(.lineStart)
    case .lineEnd: program.append(.lineEnd)
    case .sequence(let nodes): for node in nodes { try compile(node, into: &program) }
    case .choice(let nodes):
      var ends: [Int] = []
      for (number, node) in nodes.enumerated() {
        let split = program.count
        if number + 1 < nodes.count { program.append(.split(split + 1, 0)) }
        try compile(node, into: &program)
        guard number + 1 < nodes.count else { break }
        ends.append(program.count)
        program.append(.jump(0))
        program[split] = .split(split + 1, program.count)
      }
      for end in ends { program[end] = .jump(program.count) }
    case .repetition(let node, let least, let most):
      for _ in 0..<least {
        let before = program.count
        try compile(node, into: &program)
        // A part without instructions is the same however often it stands there.
        if program.count == before { return }
      }
      guard let most else {
        let split = program.count
        program.append(.split(split + 1, 0))
        try compile(node, into: &program)
        program.append(.jump(split))
        program[split] = .split(split + 1, program.count)
        return
      }
      var splits: [Int] = []
      for _ in least..<max(least, most) {
        splits.append(program.count)
        program.append(.split(program.count + 1, 0))
        try compile(node, into: &program)
      }
      for split in splits { program[split] = .split(split + 1, program.count) }
    }
  }

  /// A search for a pattern in bytes that arrive one after the other.
  struct Search: Sendable {
    private let program: [Instruction]
    private let looksAhead: Bool
    /// The places in the program that the last byte led to, those of the earliest begin first.
    private var taken: [Int] = []
    private var waiting: [Int] = []
    private var seen: [Bool]
    /// The last byte; nil before the first one.
    private var last: UInt8?

    init(_ pattern: DataPattern) {
      program = pattern.program
      looksAhead = program.contains(.lineEnd)
      seen = [Bool](repeating: false, count: program.count)
    }

    /// Goes on with the next bytes. Returns the index after the match; nil if the bytes do not complete one.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
      for index in bytes.indices {
        let byte = bytes[index]
        if last == nil || looksAhead, matches(before: byte) { return index }
        take(byte)
        if matches(before: nil) { return index + 1 }
      }
      return nil
    }

    /// Follows all instructions that take no byte. Returns whether a match ends here.
    private mutating func matches(before next: UInt8?) -> Bool {
      for place in seen.indices { seen[place] = false }
      waiting.removeAll(keepingCapacity: true)
      var isMatch = false
      var stack = taken
      // A match may begin at each byte. It has at least one byte, because an empty one shows nothing.
      var isBegin = false
      while true {
        if stack.isEmpty {
          guard !isBegin else { return isMatch }
          isBegin = true
          stack.append(0)
        }
        let place = stack.removeLast()
        guard !seen[place] else { continue }
        seen[place] = true
        switch program[place] {
        case .bytes: waiting.append(place)
        case .split(let first, let second): stack += [second, first]
        case .jump(let target): stack.append(target)
        case .lineStart: if last == nil || last == 0x0A { stack.append(place + 1) }
        case .lineEnd: if next == 0x0A || next == 0x0D { stack.append(place + 1) }
        case .match: isMatch = isMatch || !isBegin
        }
      }
    }

    private mutating func take(_ byte: UInt8) {
      last = byte
      taken.removeAll(keepingCapacity: true)
      for place in waiting { if case .bytes(let set) = program[place], set.contains(byte) { taken.append(place + 1) } }
    }
  }
}

/// A set of bytes.
struct ByteSet: Sendable, Equatable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  init(_ bytes: some Sequence<UInt8>) { for byte in bytes { insert(byte) } }

  static func == (a: ByteSet, b: ByteSet) -> Bool { a.words == b.words }

  func contains(_ byte: UInt8) -> Bool {
    let bit = UInt64(1) << UInt64(byte & 63)
    return switch byte >> 6 {
    case 0: words.0 & bit != 0
    case 1: words.1 & bit != 0
    case 2: words.2 & bit != 0
    default: words.3 & bit != 0
    }
  }

  mutating func insert(_ byte: UInt8) {
    let bit = UInt64(1) << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  mutating func formUnion(_ other: ByteSet) {
    words = (
      words.0 | other.words.0, words.1 | other.words.1, words.2 | other.words.2, words.3 | other.words.3
    )
  }

  var inverted: ByteSet { ByteSet((UInt8.min...UInt8.max).filter { !contains($0) }) }
}

// swift-iap2 · Apache-2.0

import IAP2

extension HexDump.Line {
  /// - Parameter isNumbered: whether earlier lines have a line number, so that this one has one too.
  init(_ text: Substring, _ log: TextLog?, isNumbered: Bool = false) {
    hasNumber = isNumbered
    var line = TextMarkup.spelled(TextMarkup.plain(text.prefix { $0 != "\r" }))[...]
    let prefix = DeviceLogPrefix(line)
    if let prefix {
      time = prefix.time
      line = prefix.rest
    }
    var words = self
    words.read(line, log)
    // Digits in pairs come first: characters beside them may look like anything that a program prints.
    func isMore(_ printed: [UInt8]) -> Bool { words.offset == nil && printed.count > words.bytes.count }
    if let printed = PrintedBytes.literal(line), isMore(printed) || words.bytes.starts(with: printed) {
      bytes = printed
      isElided = ["\"...", "'..."].contains(where: line.contains)
      readSender(line.prefix { !"\"'".contains($0) }, log)
    } else if let printed = PrintedBytes.list(line), isMore(printed) {
      bytes = printed
      readSender(line[..<(line.lastIndex { "[{(".contains($0) } ?? line.startIndex)], log)
    } else {
      self = words
      // The `<` of an arrow does not open a dump.
      opens =
        line.lastIndex(of: "<").map { start in
          let inside = line[start...].dropFirst().drop { $0 == " " }
          return !inside.contains(">") && inside.first?.isHexDigit == true
        } ?? false
      closes = line.contains(">")
    }
    if sender == nil, let prefix {
      let tag = prefix.tag.drop { $0 == " " }
      sender = log?.sender(String(tag)) ?? CaptureSender(identifier: tag)
    }
  }

  /// Reads a line up to the bar before its ASCII column, if bytes stand before the bar.
  private mutating func read(_ line: Substring, _ log: TextLog?) {
    if let bar = line.firstIndex(of: "|"), line[..<bar].contains("  ") {
      var left = self
      left.readWords(line[..<bar], log)
      if !left.bytes.isEmpty || left.isBare && !left.doubtful.isEmpty {
        self = left
        return
      }
    }
    readWords(line, log)
  }

  /// Reads the time and the sender from the words before the bytes of a line. Behind them stand values, such as a
  /// length.
  private mutating func readSender(_ line: Substring, _ log: TextLog?) {
    var words = Self()
    words.readWords(line, log)
    (time, sender) = (time ?? words.time, words.sender)
  }

  private mutating func readWords(_ line: Substring, _ log: TextLog?) {
    var words = line.split { $0 == " " || $0 == "\t" || $0 == "," || $0 == ";" }.flatMap(Self.nameAndBytes)
    removeNumber(&words)
    if words.count == 1, (4...8).contains(words[0].count) { total = Int(words[0], radix: 16) }
    let place = Self.offsetIndex(words)
    var date: Double?
    // A part of a name states the sender if no word does.
    var named: CaptureSender?
    // The words of the longest run of bytes, and the number of its bytes.
    var best = (words: 0..<0, byteCount: 0)
    var run = best
    for (index, word) in words.enumerated() {
      func touchesLast() -> Bool { index == 0 || Self.isBeside(word, words[index - 1], in: line) }
      let isCut = word.utf8.count > 3 && word.hasSuffix("...") && touchesLast()
      if isCut { words[index] = word.dropLast(3) }
      let core = Self.core(words[index])
      if let bytes = Self.bytes(core), place.map({ index > $0 }) ?? true {
        // A name with its value, or a bracket, begins a new run: `len=29 <ff 5a …`.
        let begins = run.byteCount == 0 || word.contains("=") || "[({<".contains(word.first ?? " ")
        run =
          begins
          ? (index..<(index + 1), bytes.count) : (run.words.lowerBound..<(index + 1), run.byteCount + bytes.count)
        if run.byteCount > best.byteCount { best = run }
        guard isCut else { continue }
        isElided = true
        break
      }
      if run.byteCount > 1, Self.isElision(word, behind: run.byteCount), touchesLast() {
        // Bytes behind a gap do not follow those before it.
        isElided = true
        break
      }
      // After the bytes of a dump with offsets, the line shows them as characters.
      if place != nil, best.byteCount > 0 { break }
      run.byteCount = 0
      if route == nil { route = Self.route(words, at: index) }
      if time == nil, let clock = Self.clock(core) { time = clock }
      if let day = Self.day(core) { date = day }
      if sender == nil { sender = log?.sender(String(word)) ?? CaptureSender(word: String(word)) }
      if named == nil { named = CaptureSender(identifier: word) }
      if index == 0, time == nil, date == nil, core.contains("."), let seconds = Double(core) { time = seconds }
    }
    offset = place.flatMap { Self.offset(words[$0]) }
    if let date, let clock = time { time = date + clock - (words.lazy.compactMap(Self.zone).first ?? 0) }
    if sender == nil { sender = named }
    if let unpadded = PrintedBytes.unpadded(words), unpadded.count > best.byteCount {
      bytes = unpadded
      return
    }
    if best.words.count > 1, Self.isCount(words, at: best.words.lowerBound, of: best.byteCount) {
      best.words = best.words.dropFirst()
    }
    if !best.words.isEmpty { lead = line[..<words[best.words.lowerBound].startIndex] }
    let found = words[best.words].flatMap { Self.bytes(Self.core($0)) ?? [] }
    guard offset == nil, isDoubtful(found, best.words, of: words) else {
      bytes = found
      return
    }
    doubtful = found
    isBare = found.count > 1 || words.count == (sender == nil ? 1 : 2)
  }

  private static let countNames: Set<String> = ["length", "len", "dlen", "size", "count"]

  /// Returns whether a word is the number of the bytes behind it: `Length 29: ff 5a …` or `(29) ff 5a …`. The line may
  /// have fewer of them, but not more.
  ///
  /// - Parameter byteCount: The number of bytes of the line, with the word as one or two of them.
  private static func isCount(_ words: [Substring], at index: Int, of byteCount: Int) -> Bool {
    let word = words[index]
    let digits = core(word)
    guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits),
      number >= byteCount - digits.utf8.count / 2,
      // The first byte of a message is 40, too.
      PrintedBytes.begins(words[(index + 1)...]) || !PrintedBytes.begins(words[index...])
    else { return false }
    if word.hasPrefix("("), word.contains(")") { return true }
    return index > 0 && countNames.contains(words[index - 1].lowercased().filter(\.isLetter))
  }

  /// Returns whether a word states that bytes are left out. As many dots as there are bytes are their characters.
  private static func isElision(_ word: Substring, behind byteCount: Int) -> Bool {
    guard word.utf8.count >= 3, word.allSatisfy({ $0 == "." }) else { return word == "…" }
    return word.utf8.count == 3 || word.utf8.count != byteCount
  }

  /// Returns whether a word follows another one directly. Further away, dots are the characters of bytes.
  private static func isBeside(_ word: Substring, _ last: Substring, in line: Substring) -> Bool {
    let gap = line[last.endIndex..<word.startIndex]
    return !gap.contains("  ") && !gap.contains("\t")
  }

  /// The arrows between two names, and whether the bytes go from the left to the right.
  private static let arrows: [Substring: Bool] = [
    "->": true, "-->": true, "=>": true, "→": true, "⇒": true, "<-": false, "<--": false, "←": false, "⇐": false,
  ]

  /// Returns the names around an arrow; nil for another word, or without a name on each side.
  private static func route(_ words: [Substring], at index: Int) -> (from: Substring, to: Substring)? {
    guard let isForward = arrows[words[index]], index > 0, index + 1 < words.count else { return nil }
    let ends = [words[index - 1], words[index + 1]].map { $0.hasSuffix(":") ? $0.dropLast() : $0 }
    guard ends.allSatisfy(isName), ends[0] != ends[1] else { return nil }
    return isForward ? (ends[0], ends[1]) : (ends[1], ends[0])
  }

  /// Returns whether a word may be the name or the address of an end: no bytes, no time, no value and no word for a
  /// direction.
  private static func isName(_ word: Substring) -> Bool {
    let isAddress = word.contains(".") && word.contains(":")
    return (word.contains(where: \.isLetter) || isAddress) && !word.contains("=") && bytes(core(word)) == nil
      && clock(word) == nil && CaptureSender(word: String(word)) == nil && CaptureSender(identifier: word) == nil
  }

  /// Returns whether bytes may be a number: a byte alone, or one word beside others that is shorter than anything that
  /// iAP2 sends, such as an address, a length or a time.
  private func isDoubtful(_ found: [UInt8], _ range: Range<Int>, of words: [Substring]) -> Bool {
    guard found.count > 1 else { return true }
    return range.count == 1 && words.count > 1 && found.count < ControlHeader.byteCount
      && !words[range.lowerBound].contains("<")
  }

  /// Returns a word as a name and its bytes, where it is `rx:ff550200ee10`.
  private static func nameAndBytes(_ word: Substring) -> [Substring] {
    guard word.utf8.count > 6, let colon = word.firstIndex(of: ":") else { return [word] }
    let (name, rest) = (word[...colon], word[word.index(after: colon)...])
    // A short number behind a name is a line of a source, or a port.
    guard name.contains(where: { $0.isLetter && !$0.isHexDigit }), let bytes = bytes(core(rest)),
      bytes.count >= ControlHeader.byteCount
    else { return [word] }
    return [name, rest]
  }

  /// Returns a word without a name and `=` before it, brackets and quotes around it, and a colon after it.
  private static func core(_ word: Substring) -> Substring {
    let value =
      word.contains("=") && CaptureSender(word: String(word)) == nil ? word.split(separator: "=").last ?? word : word
    let bare = value.drop { "[({<\"'`*".contains($0) }
    guard clock(bare) == nil else { return bare.prefix { !"])}>".contains($0) } }
    let core = bare.prefix { !"])}>\"'`*".contains($0) }
    let trimmed = core.last == ":" ? core.dropLast() : core
    return trimmed.isEmpty ? word : trimmed
  }

  /// Removes a line number before an offset: `12 00000010 ff 5a`, `12: 00000010: ff 5a` or `12:00000010 ff 5a`. After
  /// such a line, it is removed from every line.
  private mutating func removeNumber(_ words: inout [Substring]) {
    guard let first = words.first else { return }
    if let colon = first.firstIndex(of: ":"), first.index(after: colon) < first.endIndex {
      let rest = [first[first.index(after: colon)...]] + words.dropFirst()
      return remove(first[...colon], &words, leaving: rest)
    }
    remove(first, &words, leaving: Array(words.dropFirst()))
  }

  private mutating func remove(_ number: Substring, _ words: inout [Substring], leaving rest: [Substring]) {
    let digits = number.last.map { ":.)|".contains($0) } == true ? number.dropLast() : number
    guard Self.isNumber(digits), hasNumber || Self.isNumberedOffset(rest, after: number) else { return }
    words = rest
    hasNumber = true
  }

  /// Returns whether words begin with an offset that stands after a line number. Without a mark on either of them, the
  /// offset must be longer than the groups of bytes behind it, which could be an offset and bytes themselves.
  private static func isNumberedOffset(_ words: [Substring], after number: Substring) -> Bool {
    guard words.count > 1, isOffset(words[0], words) else { return false }
    let isMarked = words[0].hasSuffix(":") || number.last?.isNumber == false
    return isMarked || words[0].count > words[1].count
  }

  private static func isNumber(_ word: Substring) -> Bool {
    (1...7).contains(word.utf8.count) && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns the place of the offset before the bytes: the first word, or one with a colon behind the name of a dump, as
  /// the kernel's print_hex_dump writes it.
  private static func offsetIndex(_ words: [Substring]) -> Int? {
    if let first = words.first, isOffset(first, words) { return 0 }
    return words.indices.dropFirst().first { index in
      let word = words[index]
      let digits = word.dropLast()
      guard word.hasSuffix(":"), !digits.contains(":"), index + 1 < words.count, words[index + 1].utf8.count == 2,
        bytes(words[index + 1]) != nil, let number = offset(word)
      else { return false }
      // An offset counts rows of 16 bytes; an address has all of its digits.
      return (4...8).contains(digits.utf8.count) && number % 16 == 0 || [8, 16].contains(digits.utf8.count)
    }
  }

  /// Returns whether a word is an offset: four to eight digits, with a colon or a multiple of 16, or an address of
  /// eight digits with `0x`, before pairs of digits.
  private static func isOffset(_ word: Substring, _ words: [Substring]) -> Bool {
    guard let number = offset(word), words.count > 1, bytes(words[1]) != nil else { return false }
    if word.hasPrefix("0x") { return words[1].count == 2 && word.count >= 10 }
    return (4...8).contains(word.prefix { $0 != ":" }.count) && words[1].count <= 4
      && (word.hasSuffix(":") || number % 16 == 0)
  }

  private static func offset(_ word: Substring) -> Int? {
    // An address may have all of its 64 bits.
    UInt64((word.hasPrefix("0x") ? word.dropFirst(2) : word).prefix { $0 != ":" }, radix: 16)
      .map { Int(truncatingIfNeeded: $0) }
  }

  /// Returns the bytes of pairs of digits, with or without `0x`; nil for anything else.
  static func bytes(_ word: Substring) -> [UInt8]? {
    let digits = word.hasPrefix("0x") || word.hasPrefix("0X") ? word.dropFirst(2) : word
    guard !digits.isEmpty else { return nil }
    if digits.utf8.count == 1, digits.startIndex != word.startIndex { return UInt8(digits, radix: 16).map { [$0] } }
    return Hex.bytes(digits) ?? separated(digits)
  }

  /// Returns the bytes of pairs with a separator: `ff:55:02`, `ff-55-02`, `ff.55.02.00` and `\xff\x55\x02`. Three pairs
  /// of decimal digits are a clock time or a date, and few ones with dots an address or a version.
  private static func separated(_ word: Substring) -> [UInt8]? {
    let pairs: [Substring]
    if word.hasPrefix("\\x") {
      pairs = word.split(separator: "\\").map { $0.dropFirst() }
    } else {
      let mark: Character = word.contains(":") ? ":" : word.contains("-") ? "-" : "."
      pairs = word.split(separator: mark, omittingEmptySubsequences: false)
      let minimum = mark == "." ? 4 : 3
      guard pairs.count > minimum || pairs.count == minimum && word.contains(where: \.isLetter) else { return nil }
    }
    guard pairs.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    return Hex.bytes(Substring(pairs.joined()))
  }

  /// The units of times in seconds. The sign for a millionth has two code points.
  private static let units: [Substring: Double] = [
    "ns": 1e-9, "us": 1e-6, "\u{B5}s": 1e-6, "\u{3BC}s": 1e-6, "ms": 1e-3, "s": 1,
  ]

  /// Returns the seconds of a date with a clock time, of a clock time, or of a number, with or without its unit; nil for
  /// anything else.
  static func time(_ text: Substring) -> Double? {
    if let nanoseconds = DecimalSeconds.nanoseconds(String(text)) { return Double(nanoseconds) / 1e9 }
    let number = text.prefix { $0.isNumber || ".-+".contains($0) }
    if let factor = units[text[number.endIndex...].drop { $0 == " " }] {
      return DecimalSeconds.nanoseconds(String(number)).map { Double($0) / 1e9 * factor }
    }
    let words = text.split { $0 == " " || $0 == "T" }
    guard let clock = words.lazy.compactMap(Self.clock).first else { return nil }
    guard let day = words.first.flatMap(day) else { return clock }
    return day + clock - (words.lazy.compactMap(Self.zone).first ?? 0)
  }

  /// Returns a zone `+HHMM` as seconds east of UTC.
  private static func zone(_ word: Substring) -> Double? {
    guard word.count == 5, let sign = word.first, sign == "+" || sign == "-", let number = Int(word.dropFirst()),
      number / 100 < 24, number % 100 < 60
    else { return nil }
    let seconds = Double(number / 100 * 3600 + number % 100 * 60)
    return sign == "-" ? -seconds : seconds
  }

  /// Returns a clock time `HH:MM:SS`, with or without a fraction, as seconds of the day.
  private static func clock(_ word: Substring) -> Double? {
    let text = word.split(separator: "T").last ?? word
    let parts = text.prefix { $0.isNumber || $0 == ":" || $0 == "." }.split(separator: ":")
    guard parts.count == 3, let hours = Double(parts[0]), let minutes = Double(parts[1]),
      let seconds = Double(parts[2]), hours < 24, minutes < 60, seconds < 61
    else { return nil }
    return hours * 3600 + minutes * 60 + seconds
  }

  /// Returns a date `YYYY-MM-DD` as seconds since the Unix epoch.
  private static func day(_ word: Substring) -> Double? {
    let parts = word.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2]), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    // The years of this calendar begin in March, so that the leap day is the last of a year.
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    return Double(days) * 86_400
  }
}

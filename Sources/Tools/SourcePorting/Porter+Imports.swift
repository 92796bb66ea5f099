// swift-iap2 · Apache-2.0

extension Porter {
  /// The module that has the names that Foundation on Linux lacks.
  var module: String { context.isCarPlay ? "UIKit" : "ExternalAccessory" }
  /// The modules that give these names, too.
  private var modules: Set<String> {
    context.isCarPlay ? ["UIKit", "CarPlay", "ExternalAccessory"] : ["ExternalAccessory"]
  }

  /// Names of Foundation and CoreFoundation on Apple's systems that come from the module on Linux.
  private static let additions: Set<String> = [
    "DateComponentsFormatter", "NSInteger", "NSUInteger", "Selector", "autoreleasepool", "commonModes",
  ]
  private static let prefixesOfAdditions = ["CFRunLoop", "CFString", "kCF"]

  /// Names of Foundation on Apple's systems that are in other modules on Linux.
  private static let partsOfFoundation: [(module: String, names: Set<String>)] = [
    (
      "FoundationNetworking",
      [
        "URLSession", "URLSessionConfiguration", "URLSessionDataDelegate", "URLSessionDataTask", "URLSessionDelegate",
        "URLSessionDownloadDelegate", "URLSessionDownloadTask", "URLSessionTask", "URLSessionTaskDelegate",
        "URLSessionUploadTask", "URLSessionWebSocketTask", "URLRequest", "NSMutableURLRequest", "NSURLRequest",
        "URLResponse", "HTTPURLResponse", "CachedURLResponse", "URLCache", "URLCredential", "URLCredentialStorage",
        "URLProtectionSpace", "URLAuthenticationChallenge", "URLProtocol", "HTTPCookie", "HTTPCookieStorage",
      ]
    ), ("FoundationXML", ["XMLParser", "XMLParserDelegate"]),
  ]

  /// The kinds of declarations that an import can name.
  static let kindsOfImports: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]

  private static let prefixesOfViews = ["UI", "CG", "CA", "NSLayout", "NSText"]
  /// Names with these prefixes that Foundation on Linux has.
  private static let exceptions: Set<String> = ["CGFloat", "CGPoint", "CGRect", "CGSize", "NSTextCheckingResult"]

  /// - Returns: the index of the next token to look at.
  mutating func applyImport(at index: Int) -> Int {
    // An import of one declaration has its kind first: `import class UIKit.UIView`.
    let first = Self.kindsOfImports.contains(word(index + 1)) ? index + 2 : index + 1
    let name = word(first)
    let isOfLog = AppleModule.logs.contains(name) && importsLogs(at: first) && !usesMoreThanLogs
    if let other = isOfLog ? "LogSupport" : context.isCarPlay ? AppleModule.places[name] : nil {
      // The last word is the declaration: `import class os.log.OSLog`.
      let last = first == index + 1 ? endOfModule(first) : max(first, endOfModule(first) - 2)
      change(range(index, last), by: [(range(first, last), other)])
      return last + 1
    }
    if name == "Combine" {
      // A single declaration is imported from the module that declares it.
      let other = first == index + 1 ? OpenCombine.product : OpenCombine.module
      change(range(index, first), by: [(range(first, first), other)])
      return first + 1
    }
    guard let reason = AppleModule.reason(name, isCarPlay: context.isCarPlay) else {
      if first == index + 1 { removeSubmodule(at: first) }
      return first + 1
    }
    if name == "UIKit", usesOfViews.isEmpty, first == index + 1, word(first + 1) != "." {
      // UIKit exports Foundation, and so does the module.
      let isModule = needsModule && !isConditional[index]
      change(range(index, first), by: [(range(first, first), isModule ? module : "Foundation")])
      if isModule { needsModule = false }
      return first + 1
    }
    leave(range(index, first), reason)
    guard AppleModule.ofViews.contains(name) else { return first + 1 }
    for use in usesOfViews { leave(range(use, use), reason) }
    usesOfViews = []
    return first + 1
  }

  /// Whether an import of `os` or OSLog is one of the module, of `os.log`, or of a declaration there.
  private func importsLogs(at first: Int) -> Bool {
    let isOfDeclaration = Self.kindsOfImports.contains(word(first - 1))
    let words = stride(from: first + 2, through: endOfModule(first), by: 2).map { word($0) }
    return (isOfDeclaration ? words.dropLast() : words[...]).allSatisfy { $0 == "log" }
  }

  /// Whether the source uses names of `os` beside its loggers, or names one by its module, as in `os.Logger`.
  private var usesMoreThanLogs: Bool {
    tokens.indices.contains { index in
      guard tokens[index].kind == .word else { return false }
      let name = source.text(tokens[index].range)
      if AppleModule.isBesideLogs(name) { return true }
      guard AppleModule.logs.contains(name), word(index + 1) == "." else { return false }
      let isOfImport = word(index - 1) == "import" || Self.kindsOfImports.contains(word(index - 1))
      // `OSLog.default` is a member of the class.
      return !isOfImport && (name == "os" || ["Logger", "OSLog", "os_log"].contains(word(index + 2)))
    }
  }

  /// Imports the whole module where a source imports a part of it: `import CarPlay.CPSessionConfiguration`.
  private mutating func removeSubmodule(at name: Int) {
    let isKnown = ["Foundation", "ExternalAccessory"].contains(word(name)) || AppleModule.shapes.contains(word(name))
    let last = endOfModule(name)
    guard isKnown, last > name else { return }
    change(range(name - 1, last), by: [(range(name, last), word(name))])
  }

  /// The last token of the name of a module with its submodules.
  private func endOfModule(_ name: Int) -> Int {
    var last = name
    while word(last + 1) == ".", !tokens[last + 1].isFirstOfLine, isName(last + 2), !tokens[last + 2].isFirstOfLine {
      last += 2
    }
    return last
  }

  /// The uses of names that look like those of a module with views, each name once in a line.
  func findUsesOfViews() -> [Int] {
    var seen: Set<String> = []
    var line = -1
    return tokens.indices.filter { index in
      guard tokens[index].kind == .word, tokens[index].range.count > 2, index > 0,
        !["import", "@"].contains(word(index - 1)), index < 2 || !AppleModule.ofViews.contains(word(index - 2))
      else { return false }
      let name = source.text(tokens[index].range)
      let isOfViews =
        !Self.exceptions.contains(name) && !AppleModule.ofViews.contains(name)
        && Self.prefixesOfViews.contains { prefix in
          name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isUppercase == true
        }
      guard isOfViews else { return false }
      let here = source.position(tokens[index].range.lowerBound).line
      if here != line { (seen, line) = ([], here) }
      return seen.insert(name).inserted
    }
  }

  func findsNeedOfModule() -> Bool {
    let imports = tokens.indices.lazy.filter { word($0) == "import" && isStatement($0) }
    let modules = modules
    guard !imports.contains(where: { modules.contains(word($0 + 1)) }) else { return false }
    return tokens.indices.contains { index in
      guard tokens[index].kind == .word else { return false }
      let name = source.text(tokens[index].range)
      return Self.additions.contains(name) || isLocalizedText(index)
        || name == "selector" && index > 0 && word(index - 1) == "#"
        || context.isCarPlay && isAvailabilityOfIOS(index)
        || Self.prefixesOfAdditions.contains { name.hasPrefix($0) }
    }
  }

  /// Whether `String(localized: …)` is here.
  private func isLocalizedText(_ index: Int) -> Bool {
    word(index) == "LocalizationValue"
      || word(index) == "localized" && word(index - 1) == "(" && word(index + 1) == ":"
  }

  /// The modules of names that Foundation has on Apple's systems, unless the source imports them somewhere.
  func missingPartsOfFoundation() -> [String] {
    let words = Set(tokens.lazy.filter { $0.kind == .word }.map { source.text($0.range) })
    return Self.partsOfFoundation.filter { !words.contains($0.module) && !words.isDisjoint(with: $0.names) }
      .map(\.module)
  }

  /// Imports modules on the line of another import.
  mutating func addImports(_ modules: [String]) {
    guard !modules.isEmpty else { return }
    let imports = modules.map { "import \($0)" }.joined(separator: "; ")
    let place = tokens.indices.first { index in
      word(index) == "import" && isStatement(index) && isUnconditional(index) && index + 1 < tokens.count
        && tokens[index + 1].kind == .word && (index + 2 >= tokens.count || tokens[index + 2].isFirstOfLine)
    }
    if let place {
      let line = range(place, place + 1)
      return change(line, by: [(line.upperBound..<line.upperBound, "; \(imports)")])
    }
    guard context.isCarPlay, let first = tokens.first, first.isFirstOfLine, isUnconditional(0) else {
      let names = modules.joined(separator: " and ")
      return leave(0..<0, "the file uses names that \(names) has on Linux; write \(imports) at its top")
    }
    let start = first.range.lowerBound
    change(start..<start, by: [(start..<start, "\(imports); ")])
  }

  /// Whether no `#if` decides about a token, or one that is true on Linux.
  private func isUnconditional(_ index: Int) -> Bool {
    !isConditional[index] || context.isCarPlay && isCertain[index]
  }

  /// Whether a word is that of `#available` with a version of iOS, which becomes a call.
  private func isAvailabilityOfIOS(_ index: Int) -> Bool {
    guard index > 0, word(index - 1) == "#", ["available", "unavailable"].contains(word(index)),
      word(index + 1) == "(", let end = closers[index + 1]
    else { return false }
    return (index + 2..<max(index + 2, end)).contains { word($0) == "iOS" }
  }
}

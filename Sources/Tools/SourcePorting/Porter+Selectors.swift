// swift-iap2 · Apache-2.0

extension Porter {
  private static let noKeyPaths =
    "Linux has no key-value observation, and #keyPath needs Objective-C; use a closure or a Swift key path"

  /// - Returns: the index of the next token to look at.
  mutating func applyPoundWord(at index: Int) -> Int {
    guard touchesNext(index), word(index + 2) == "(" else { return index + 1 }
    switch word(index + 1) {
    case "selector": return applySelector(at: index)
    case "available" where context.isCarPlay, "unavailable" where context.isCarPlay:
      return applyAvailability(at: index)
    case "error" where isCertain[index]:
      leave(
        range(index, closers[index + 2] ?? index + 2),
        "Linux compiles this branch; give --ios if the code for iOS is to be compiled, or remove the branch")
    case "keyPath": leave(range(index, closers[index + 2] ?? index + 2), Self.noKeyPaths)
    case "imageLiteral", "colorLiteral":
      leave(range(index, closers[index + 2] ?? index + 2), "pictures and colors of UIKit do not exist on Linux")
    default: break
    }
    return index + 3
  }

  /// Turns `#selector(method)` into a `Selector` of the module ExternalAccessory, which takes a method of a type.
  ///
  /// A method of an object, such as `Selector(self.method)`, would keep the object alive for as long as an observation
  /// exists. So the method is always written with its type.
  private mutating func applySelector(at index: Int) -> Int {
    let first = index + 3
    guard let end = closers[index + 2], first < end else {
      leave(range(index, index + 2), "this is not a selector of a method; repair the source")
      return first
    }
    if ["getter", "setter"].contains(word(first)), word(first + 1) == ":" {
      leave(range(index, end), "Linux has no selectors of properties; write a method that reads or sets the property")
      return first
    }
    if let name = protocolOfSelector(first) {
      leave(
        range(index, end),
        "Linux has no selector of the protocol \(name); write the class with the method: #selector(TYPE.method)")
      return first
    }
    guard let prefix = typePrefix(of: first) else {
      leave(
        range(index, end), "Linux has no selector of another object's method; write its type: #selector(TYPE.method)")
      return first
    }
    // Only these tokens change, so that line ends between them stay.
    var new: [(range: Range<Int>, text: String)] = [(range(index, index + 2), "Selector(")]
    if case .replacing(let text) = prefix { new.append((range(first, first), text)) }
    if case .before(let text) = prefix { new.append((range(first, first).emptyStart, text)) }
    if prefix != TypePrefix.none, let cast = (first..<end).first(where: { word($0) == "as" }) {
      new.append((range(cast, cast).emptyEnd, " (\(types[index] ?? "Self")) ->"))
    }
    change(range(index, end), by: new)
    return end + 1
  }

  /// The name of the protocol whose method a selector names; nil if it names that of another type.
  ///
  /// A protocol of a framework is recognized by its name: two capital letters first, and an ending of protocols.
  private func protocolOfSelector(_ first: Int) -> String? {
    guard isName(first), word(first + 1) == "." else { return nil }
    let name = source.text(tokens[first].range)
    if context.protocols.contains(name) { return name }
    let isOfFramework = name.prefix(2).allSatisfy(\.isUppercase) && !types.contains(name)
    return isOfFramework && ["Delegate", "DataSource"].contains(where: name.hasSuffix) ? name : nil
  }

  private enum TypePrefix: Equatable {
    case none
    case replacing(String)
    case before(String)
  }

  /// How the method of a selector gets a type; nil if it is one of an object.
  private func typePrefix(of first: Int) -> TypePrefix? {
    guard first < tokens.count, tokens[first].kind == .word || tokens[first].kind == .quotedWord else { return nil }
    let name = source.text(tokens[first].range)
    let type = types[first] ?? "Self"
    guard word(first + 1) == "." else { return .before(type + ".") }
    if name == "self" { return .replacing(type) }
    return name.first.map { $0.isUppercase || $0 == "`" } == true ? TypePrefix.none : nil
  }
}

extension Range<Int> {
  fileprivate var emptyStart: Range<Int> { lowerBound..<lowerBound }
  fileprivate var emptyEnd: Range<Int> { upperBound..<upperBound }
}

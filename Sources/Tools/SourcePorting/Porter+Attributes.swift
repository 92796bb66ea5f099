// swift-iap2 · Apache-2.0

extension Porter {
  /// Attributes that only export a declaration to Objective-C.
  private static let exports: Set<String> = ["objc", "objcMembers", "nonobjc"]

  /// Attributes that connect code to views, to Core Data or to Objective-C.
  private static let connections: [String: String] = [
    "IBAction": "views do not exist on Linux; keep the controller in another target",
    "IBOutlet": "views do not exist on Linux; keep the controller in another target",
    "IBSegueAction": "views do not exist on Linux; keep the controller in another target",
    "IBInspectable": "views do not exist on Linux; keep the view in another target",
    "IBDesignable": "views do not exist on Linux; keep the view in another target",
    "GKInspectable": "GameplayKit does not exist on Linux; remove the attribute",
    "UIApplicationMain": "UIKit does not exist on Linux; keep the app's delegate in another target",
    "NSApplicationMain": "AppKit does not exist on Linux; keep the app's delegate in another target",
    "NSManaged": "Core Data does not exist on Linux; keep its classes in another target",
  ]

  /// Attributes that only connect code to storyboards. Shapes of UIKit let the code compile without them.
  private static let storyboardConnections: Set<String> = ["IBAction", "IBDesignable", "IBInspectable", "IBOutlet"]

  /// The limit of tokens in the list of a protocol's inherited protocols, which bounds the search for one of classes.
  private static let inheritedTokenCount = 200

  /// The limit of tokens between `@main` and its class, which bounds the search for the class.
  private static let attributeTokenCount = 100

  /// - Returns: the index of the next token to look at.
  mutating func applyAttribute(at index: Int) -> Int {
    let name = word(index + 1)
    guard touchesNext(index) else { return index + 1 }
    if context.isCarPlay, let next = applyAttributeOfApp(at: index) { return next }
    if let reason = Self.connections[name] { leave(range(index, index + 1), reason) }
    if name == "convention", matches(index + 2, "(", "block") {
      leave(range(index, index + 4), "Linux has no blocks of Objective-C; use a closure")
    }
    guard Self.exports.contains(name) else { return index + 2 }
    var last = index + 1
    if name == "objc", touchesNext(last), word(last + 1) == "(", let end = closers[last + 1] { last = end }
    if defaultedKeywords.contains(last + 1) {
      remove(index, last + 1)
      return last + 2
    }
    if word(last + 1) == "optional" {
      leave(
        range(index, last + 1),
        "Swift has no optional members; give the member a default body in an extension of the protocol, and remove "
          + "@objc optional")
      return last + 2
    }
    remove(index, last)
    makeClassBound(after: last + 1)
    return last + 1
  }

  /// Removes attributes of UIKit from the source of an app for CarPlay.
  ///
  /// - Returns: the index of the next token to look at; nil for any other attribute.
  private mutating func applyAttributeOfApp(at index: Int) -> Int? {
    let name = word(index + 1)
    switch name {
    case _ where Self.storyboardConnections.contains(name):
      remove(index, index + 1)
      guard name == "IBOutlet" else { break }
      leave(range(index, index + 1), "no storyboard sets this property on Linux; assign it before it is read")
    case "UIApplicationMain": remove(index, index + 1)
    case "main":
      guard let type = classAfterAttributes(index + 2) else { return nil }
      let isDelegate = context.applicationDelegates.contains(type)
      guard isDelegate || inheritsMain(type, index + 2) else { return nil }
      remove(index, index + 1)
      if !isDelegate {
        leave(
          range(index, index + 1),
          "\(type) has its method main from a class outside the sources; if it is a delegate of the application, "
            + "register it with SceneDelegateRegistry.register(\(type).self, isApplicationDelegate: true) { \(type)() }"
        )
      }
    default: return nil
    }
    return index + 2
  }

  /// Whether a class with `@main` in front of a token has no method `main` in the sources, but a superclass.
  private func inheritsMain(_ type: String, _ start: Int) -> Bool {
    guard !context.typesWithMain.contains(type),
      let name = (start..<min(tokens.count, start + Self.attributeTokenCount)).first(where: { word($0) == "class" })
    else { return false }
    return word(name + 2) == ":"
  }

  /// The class that attributes and modifiers from a token on belong to; nil if they belong to something else.
  private func classAfterAttributes(_ start: Int) -> String? {
    var index = start
    while index < min(tokens.count, start + Self.attributeTokenCount), word(index) != "class" {
      if word(index) == "@" {
        index = touchesNext(index + 1) && word(index + 2) == "(" ? (closers[index + 2] ?? index + 2) + 1 : index + 2
      } else if ["public", "open", "package", "internal", "final"].contains(word(index)) {
        index += 1
      } else {
        return nil
      }
    }
    return isName(index + 1) ? source.text(tokens[index + 1].range) : nil
  }

  /// Removes tokens, and the blanks between them and the next token of the line. Line ends stay.
  private mutating func remove(_ first: Int, _ last: Int) {
    let shown = range(first, last)
    var end = shown.upperBound
    while end < source.bytes.count, source.bytes[end] == 0x20 || source.bytes[end] == 0x09 { end += 1 }
    let lineEnds = source.bytes[shown].filter { $0 == 0x0A || $0 == 0x0D }
    change(shown.lowerBound..<end, by: [(shown.lowerBound..<end, String(decoding: lineEnds, as: UTF8.self))])
  }

  /// A protocol of Objective-C is one of classes. Without `@objc`, its declaration has to say so: otherwise a weak
  /// reference does not compile.
  private mutating func makeClassBound(after index: Int) {
    let modifiers: Set = ["public", "internal", "private", "fileprivate", "open", "package"]
    var keyword = index
    while modifiers.contains(word(keyword)) { keyword += 1 }
    guard word(keyword) == "protocol", keyword + 2 < tokens.count else { return }
    let name = range(keyword + 1, keyword + 1)
    switch word(keyword + 2) {
    case "{": change(range(keyword, keyword + 1), by: [(name.upperBound..<name.upperBound, ": AnyObject")])
    case ":" where !isClassBound(keyword + 3):
      change(range(keyword, keyword + 2), by: [(range(keyword + 2, keyword + 2), ": AnyObject,")])
    default: break
    }
  }

  /// Whether the list of inherited protocols that begins at a token has one of classes.
  private func isClassBound(_ start: Int) -> Bool {
    for index in start..<start + Self.inheritedTokenCount {
      if word(index) == "{" { return false }
      if ["AnyObject", "NSObjectProtocol", "class"].contains(word(index)) { return true }
    }
    return true
  }
}

// swift-iap2 · Apache-2.0

extension Porter {
  /// Names that Linux does not have, with the words that follow them and the reason.
  struct MissingName {
    var name: String
    var following: [String] = []
    /// Whether the name is a member, which follows a dot.
    var isMember = false
    /// Whether the source imports Combine; nil if that makes no difference.
    var combine: Bool?
    var reason: String
  }

  private static let noMessages = "Linux has no messages by selector; call the method, on a queue for a delay"
  private static let noObservation = "Linux has no key-value observation; call a closure from didSet"
  private static let noTextSelectors = "Linux finds no method by a text; write #selector(TYPE.method)"

  private static let missing: [MissingName] = [
    MissingName(
      name: "NSMachPort",
      reason: "Linux has no Mach ports; a run loop with a scheduled stream or a timer stays alive without one"),
    MissingName(
      name: "getCFRunLoop", isMember: true,
      reason: "RunLoop does not give its CFRunLoop on Linux; call CFRunLoopGetCurrent() on the loop's thread"),
    MissingName(
      name: "publisher", following: ["(", "for"], isMember: true, combine: false,
      reason: "Combine does not exist on Linux; use addObserver(forName:object:queue:using:)"),
    MissingName(
      name: "publisher", following: ["(", "for", ":", "\\"], isMember: true, combine: true, reason: noObservation),
    MissingName(
      name: "notifications", following: ["(", "named"], isMember: true,
      reason: "NotificationCenter has no sequences on Linux; use addObserver(forName:object:queue:using:)"),
    MissingName(
      name: "NSPredicate", following: ["(", "format"], reason: "Linux parses no formats; use NSPredicate(block:)"),
    MissingName(
      name: "getStreamsToHost", isMember: true, reason: "Foundation on Linux has no streams to hosts; use a socket"),
    MissingName(
      name: "getBoundStreams", isMember: true, reason: "Foundation on Linux has no bound streams; use a queue of bytes"),
    MissingName(name: "perform", following: ["(", "#", "selector"], reason: noMessages),
    MissingName(name: "perform", following: ["(", "Selector"], reason: noMessages),
    MissingName(name: "performSelector", reason: noMessages),
    MissingName(
      name: "responds", following: ["(", "to", ":"],
      reason: "Linux has no messages by selector; ask for a protocol with `as?`"),
    MissingName(
      name: "detachNewThreadSelector", isMember: true,
      reason: "Linux has no messages by selector; use Thread.detachNewThread with a closure"),
    MissingName(
      name: "Thread", following: ["(", "target"],
      reason: "Linux has no threads with a selector; use Thread(block:)"),
    MissingName(name: "observe", following: ["(", "\\"], reason: noObservation),
    MissingName(name: "observeValue", following: ["(", "forKeyPath"], reason: noObservation),
    MissingName(name: "forKeyPath", following: [":"], reason: noObservation),
    MissingName(name: "NSSelectorFromString", reason: noTextSelectors),
    MissingName(name: "NSStringFromSelector", reason: "selectors have no names on Linux; write the name as a text"),
    MissingName(
      name: "mach_absolute_time", reason: "Linux has no Mach clock; use ContinuousClock or DispatchTime.now()"),
  ]

  /// Names of UIKit in sources that do not import it: on iOS, an import of ExternalAccessory gives them, too.
  private static let viewNames: Set<String> = [
    "UIAlertAction", "UIAlertController", "UIApplication", "UIBackgroundTaskIdentifier", "UIColor", "UIDevice",
    "UIImage", "UIResponder", "UIScreen", "UIView", "UIViewController", "UIWindow",
  ]

  /// Classes whose objects the system creates: on iOS too, `init()` of a subclass raises an exception.
  private static let classesOfTheSystem: Set<String> = [
    "EAAccessory", "EAAccessoryManager", "EASession", "EAWiFiUnconfiguredAccessory",
    "EAWiFiUnconfiguredAccessoryBrowser",
  ]

  private static let missingByName = Dictionary(
    grouping: missing + missingInFoundation + OpenCombine.missing, by: \.name)

  /// Names whose meaning on Linux is wrong for an app that runs on an emulated iOS.
  private static let missingInApps: [String: String] = [
    "isOperatingSystemAtLeast": "on Linux this compares the version of the kernel; write #available",
    "UIApplicationMain": "a host starts the app; remove the call. The delegate is registered by its name",
  ]

  mutating func applyName(at index: Int) {
    let name = source.text(tokens[index].range)
    let isMember = index > 0 && word(index - 1) == "."
    if let missing = Self.missingByName[name]?.first(where: { missing in
      (isMember || !missing.isMember) && !isDeclared(index) && !context.declaredTypes.contains(name)
        && missing.combine ?? importsCombine == importsCombine
        && missing.following.indices.allSatisfy { word(index + 1 + $0) == missing.following[$0] }
    }) {
      leave(range(index, index + missing.following.count), missing.reason)
    } else if context.isCarPlay, let reason = Self.missingInApps[name], word(index + 1) == "(", !isDeclared(index) {
      leave(range(index, index), reason)
    } else if name == "Combine", importsCombine, !isMember, word(index + 1) == "." {
      change(range(index, index), by: [(range(index, index), OpenCombine.module)])
    } else if name == "Selector", !isMember, word(index + 1) == "(" {
      leaveSelectorOfText(at: index)
    } else if isMember, ["stream", "accessoryDidDisconnect"].contains(name), matches(index + 1, "?", "(") {
      // A call of an optional member. The protocols of Linux have default bodies in their place.
      applyUseOfOptional(at: index, hasNoResult: true)
    } else if isMember, context.defaultedMembers.contains(name), !optionalMembers.contains(name) {
      applyUseOfOptional(at: index, hasNoResult: context.defaultedMembersWithoutResult.contains(name))
    } else if isMember, optionalMembers.contains(name), matches(index + 1, "?", "(") {
      leave(range(index, index + 1), "the member is optional; remove the question mark when it has a default body")
    } else if Self.viewNames.contains(name), !importsViews, !isMember, !isDeclared(index) {
      leave(range(index, index), AppleModule.reason("UIKit") ?? "")
    } else if Self.classesOfTheSystem.contains(name), index > 2, word(index - 1) == ":", word(index - 3) == "class" {
      leave(
        range(index - 3, index), "\(name) has no subclasses on Linux; attach an accessory with ExternalAccessoryTesting"
      )
    } else if name.hasPrefix("objc_"), !isMember, word(index + 1) == "(" {
      leave(range(index, index), "Linux has no runtime of Objective-C; use locks, closures and stored properties")
    }
  }

  /// Reports an actor that inherits from NSObject: it compiles, and then it is not linked.
  mutating func leaveActorOfObjectiveC(at index: Int) {
    guard word(index + 2) == ":", matches(index + 3, "NSObject") else { return }
    leave(
      range(index, index + 3),
      "an actor that inherits from NSObject is not linked on Linux (undefined reference to "
        + "OBJC_CLASS_$_SwiftNativeNSObject); remove NSObject")
  }

  /// Whether a name is being declared, so that it is the app's own.
  private func isDeclared(_ index: Int) -> Bool {
    index > 0 && ["func", "var", "let", "class", "struct", "enum"].contains(word(index - 1))
      && word(index) != "observeValue"
  }

  /// A selector of a text may name a method of any class, so no rule can find its type.
  private mutating func leaveSelectorOfText(at index: Int) {
    var inner = index + 2
    while word(inner) == "(" { inner += 1 }
    guard inner < tokens.count, tokens[inner].kind == .string else { return }
    leave(range(index, inner), Self.noTextSelectors)
  }
}

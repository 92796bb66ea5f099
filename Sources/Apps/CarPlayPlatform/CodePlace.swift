// swift-iap2 · Apache-2.0

private import Runtime

/// A place in the app's code. It is captured in microseconds, and becomes text only when it is printed.
public struct CodePlace: Sendable, CustomStringConvertible {
  private enum Storage: Sendable {
    case backtrace(Backtrace)
    case line(file: String, line: Int)
    case unknown
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  /// An unknown place.
  public static let unknown = Self(.unknown)

  /// Whether the place is unknown.
  public var isUnknown: Bool { if case .unknown = storage { true } else { false } }

  /// Creates a place from a file and a line.
  public init(file: String, line: Int) { self.init(.line(file: file, line: line)) }

  /// The binary images of the process. Capturing them takes longer than capturing a backtrace.
  private static let images = ImageMap.capture()

  /// The number of captured frames. The framework's and the host's frames are fewer than half of them.
  private static let frameLimit = 40

  /// Captures the call stack of the current thread.
  public static func here() -> Self {
    do { return Self(.backtrace(try Backtrace.capture(limit: frameLimit, top: 0, images: images))) } catch {
      return .unknown
    }
  }

  /// The innermost frames of the app's own code, as `function at file:line`.
  public var frames: [String] {
    switch storage {
    case .unknown: []
    case .line(let file, let line): ["\(file):\(line)"]
    case .backtrace(let backtrace): Self.symbols(of: backtrace)
    }
  }

  /// The innermost frame of the app's own code; empty if it is unknown.
  public var description: String { frames.first ?? "" }
}

extension CodePlace {
  /// The modules whose frames do not belong to the app: the emulated car and the stand-ins for other frameworks.
  private static let ownModules: Set<String> = [
    "AVFoundation", "CallKit", "CarPlay", "CarPlayHost", "CarPlayPlatform", "CarPlayTesting", "Contacts",
    "CoreLocation", "Intents", "MapKit", "MediaPlayer", "PortingSupport", "UIKit", "UserNotifications",
  ]

  private static let ownExtensions = ownModules.map { "\($0.utf8.count)\($0)E" }

  private static func symbols(of backtrace: Backtrace) -> [String] {
    let symbolicated = backtrace.symbolicated(
      with: ImageMap.capture(), options: [.showInlineFrames, .showSourceLocations, .useSymbolCache])
    guard let symbolicated else { return [] }
    var frames: [String] = []
    for frame in symbolicated.frames {
      guard let symbol = frame.symbol, let location = symbol.sourceLocation, location.line > 0,
        !isOurs(symbol.rawName) || isOfExtension(symbol.rawName, location.path), !isLibrary(symbol.imageName)
      else { continue }
      frames.append("\(symbol.name) at \(location.path):\(location.line)")
    }
    return frames
  }

  private static func isLibrary(_ image: String) -> Bool { image.hasPrefix("lib") && image.contains(".so") }

  /// The folder with the sources of our modules.
  private static let folder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    .joined(separator: "/") + "/"

  /// Returns whether a function with a name of our modules is in a source outside them: in an app's extension of our
  /// class. Sources that the compiler has made belong to the module.
  private static func isOfExtension(_ name: String, _ path: String) -> Bool {
    name.hasPrefix("$s") && path.hasPrefix("/") && !path.hasPrefix(folder) && !path.contains("swift-generated-sources")
  }

  /// Returns whether a mangled name, such as `$s7CarPlay10CPTemplateC…`, begins with one of our modules.
  private static func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix("$s") else { return true }
    let rest = name.dropFirst(2)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let length = Int(digits) else { return ownExtensions.contains { name.contains($0) } }
    if ownModules.contains(String(rest.dropFirst(digits.count).prefix(length))) { return true }
    // A member of an extension, such as `$sSo8NSObjectC7CarPlayE…`, names the extension's module before an E.
    return ownExtensions.contains { name.contains($0) }
  }
}

// swift-iap2 · Apache-2.0

private import Basics
private import Foundation
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
  public var frames: [String] { Array(lines) }

  /// The innermost frame of the app's own code; empty if it is unknown.
  public var description: String { lines.first { _ in true } ?? "" }

  private var lines: AnySequence<String> {
    switch storage {
    case .unknown: AnySequence([])
    case .line(let file, let line): AnySequence(["\(file):\(line)"])
    case .backtrace(let backtrace): Self.lines(of: backtrace)
    }
  }
}

extension CodePlace {
  /// The modules whose frames do not belong to the app: the emulated car and the stand-ins for other frameworks.
  private static let ownModules: Set<String> = [
    "AVFoundation", "CallKit", "CarPlay", "CarPlayHost", "CarPlayPlatform", "CarPlayTesting", "Contacts",
    "CoreLocation", "Intents", "MapKit", "MediaPlayer", "PortingSupport", "UIKit", "UserNotifications",
  ]

  private static let ownExtensions = ownModules.map { "\($0.utf8.count)\($0)E" }

  /// Returns the lines of the app's frames. Names are found at once; the source of a frame takes about 10 ms, so it is
  /// read when its line is asked for.
  private static func lines(of backtrace: Backtrace) -> AnySequence<String> {
    let images = ImageMap.capture()
    guard let named = backtrace.symbolicated(with: images, options: .useSymbolCache) else { return AnySequence([]) }
    let candidates = named.frames.lazy.filter { $0.symbol.map(mayBeOfApp) ?? false }
    return AnySequence(candidates.flatMap { lines(of: $0.captured, in: backtrace, images) })
  }

  /// Returns the lines of a frame: one, and one more for each function that is inlined there.
  private static func lines(of frame: Backtrace.Frame, in backtrace: Backtrace, _ images: ImageMap) -> [String] {
    let options: Backtrace.SymbolicationOptions = [.showInlineFrames, .showSourceLocations, .useSymbolCache]
    guard let found = backtrace.only(frame)?.symbolicated(with: images, options: options) else { return [] }
    return found.frames.compactMap { frame in
      guard let symbol = frame.symbol, let location = symbol.sourceLocation, location.line > 0,
        !isOurs(symbol.rawName) || isOfExtension(symbol.rawName, location.path), !isLibrary(symbol.imageName)
      else { return nil }
      return "\(symbol.name) at \(location.path):\(location.line)"
    }
  }

  /// Returns whether a frame may belong to the app, or to a function of the app that is inlined there: `E` stands behind
  /// the module of an extension, and `T` behind a function that was specialized for its caller. A function whose name is
  /// not mangled, such as `main`, may have anything inlined.
  private static func mayBeOfApp(_ symbol: SymbolicatedBacktrace.Symbol) -> Bool {
    guard !isLibrary(symbol.imageName) else { return false }
    return !symbol.rawName.hasPrefix("$s") || !isOurs(symbol.rawName)
      || symbol.rawName.utf8.contains { "ET".utf8.contains($0) }
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

extension Backtrace {
  /// Returns a backtrace with one frame of this one; nil if it has no address.
  ///
  /// Nothing else makes a backtrace of chosen frames, so the frame is written as a program would read it from a file:
  /// in the Compact Backtrace Format, version 0, with an absolute address of 64 bits.
  /// (documented by the Swift project)
  fileprivate func only(_ frame: Frame) -> Backtrace? {
    let kind: UInt8
    let address: Address
    switch frame {
    case .programCounter(let value): (kind, address) = (0x10, value)
    case .returnAddress(let value): (kind, address) = (0x20, value)
    case .asyncResumePoint(let value): (kind, address) = (0x30, value)
    default: return nil
    }
    guard let address = UInt64(address) else { return nil }
    let isAbsolute: UInt8 = 8
    let byteCount: UInt8 = 8
    let bytes = [0x02, kind | isAbsolute | (byteCount - 1)] + address.bigEndianBytes
    let coded = Coded(architecture: architecture, backtrace: Data(bytes).base64EncodedString())
    return try? JSONDecoder().decode(Backtrace.self, from: JSONEncoder().encode(coded))
  }

  private struct Coded: Encodable {
    var architecture: String
    var backtrace: String
  }
}

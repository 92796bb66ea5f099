// swift-iap2 · Apache-2.0

import CarPlayHost
import Glibc

/// A program that is no app with a host, and misuses the connection.
enum Misfit: String {
  /// Says nothing and goes on.
  case silent
  /// Sends a malformed control line.
  case nonsense
  /// Writes 1 GB without a line end, as long as somebody reads.
  case flood
  /// Introduces itself with a version of the lines that nobody has.
  case future
  /// Introduces itself, and closes the connection without ending.
  case closes
  /// Introduces itself, and answers each line with a deep nest of JSON.
  case nest
  /// Introduces itself, and answers with calls without an end.
  case chatter
  /// Writes 1 GB to its own output, as long as somebody reads, and then says nothing.
  case noise

  private static let descriptor: Int32 = 3

  func run() -> Never {
    switch self {
    case .silent: break
    case .nonsense: Self.write("hello\n")
    case .flood: Self.flood(Self.descriptor)
    case .future: Self.write(Self.hello(version: 1_000_000))
    case .closes:
      Self.write(Self.hello(version: CarControl.version))
      close(Self.descriptor)
    case .nest:
      Self.write(Self.hello(version: CarControl.version))
      Self.write(String(repeating: #"{"report":"done","state":"#, count: 100_000) + "\n")
    case .chatter:
      Self.write(Self.hello(version: CarControl.version))
      while Self.write(#"{"report":"call","time":0,"direction":"car","name":"x"}"# + "\n") {}
    case .noise: Self.flood(STDOUT_FILENO)
    }
    while true { pause() }
  }

  private static func hello(version: Int) -> String {
    #"{"report":"hello","version":\#(version),"app":"Misfit","categories":[],"cars":[]}"# + "\n"
  }

  /// Writes a text. Returns false if nobody reads.
  @discardableResult
  private static func write(_ text: String, to target: Int32 = descriptor) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(target, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  private static func flood(_ target: Int32) {
    let piece = String(repeating: "x", count: 1 << 20)
    for _ in 0..<1024 where !write(piece, to: target) { return }
  }
}

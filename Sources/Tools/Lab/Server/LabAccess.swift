// swift-iap2 · Apache-2.0

/// The rules by which the server knows its own page: the secret in the address, and the headers `Host` and `Origin`.
///
/// Another page of the browser can send requests to this machine, and a name of its own can lead here (DNS rebinding).
/// Neither knows the secret, and the second has another host.
struct LabAccess: Sendable {
  /// The first part of each path: 130 random bits.
  let secret: String
  /// The hosts under which the server was asked to listen, without their port.
  private let hosts: Set<String>

  /// - Parameter host: The host of `--listen`.
  init(host: String) {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    // 26 letters of 5 bits.
    secret = String((0..<26).map { _ in letters.randomElement(using: &generator) ?? "a" })
    hosts = ["localhost", host.lowercased()]
  }

  /// An address of a request, without the secret.
  enum Place: Hashable {
    case file(String)
    case socket
  }

  /// Returns the place of a request; nil for one that is not of this lab's page.
  func place(path: String, host: String?) -> Place? {
    guard let host, isOwn(host) else { return nil }
    let path = path.prefix { $0 != "?" }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true)
    guard let first = parts.first, isSecret(first) else { return nil }
    guard parts.count > 1 else { return path.hasSuffix("/") ? .file("index.html") : nil }
    return parts[1] == "socket" ? .socket : .file(String(parts[1]))
  }

  /// Returns whether a page of an origin may open the socket: only the server's own.
  func isOwn(origin: String?, host: String?) -> Bool {
    guard let origin, let host else { return false }
    return origin.lowercased() == "http://\(host.lowercased())"
  }

  private func isSecret(_ text: Substring) -> Bool {
    let (one, other) = (Array(text.utf8), Array(secret.utf8))
    // The time must not tell how many letters are right.
    return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Whether a header `Host` is an address of numbers, or a name that the user gave. Only names can be rebound.
  private func isOwn(_ host: String) -> Bool {
    var name = host.lowercased()
    if name.hasPrefix("[") { return name.contains("]") }
    if let colon = name.lastIndex(of: ":") { name = String(name[..<colon]) }
    return hosts.contains(name) || !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
  }
}

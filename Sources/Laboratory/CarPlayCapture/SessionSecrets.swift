// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography

/// The secrets of sessions from key logs, by the public key that the phone sent.
///
/// A key log is text with a secret in each line: the procedure, the phone's public key and the secret, both in
/// hexadecimal digits. Empty lines and lines that begin with `#` have no meaning. A key may have several secrets, as in
/// two key logs of which one is damaged: the reader takes the one that opens something.
package struct SessionSecrets: Sendable {
  private var secrets: [AgreedSecret.Procedure: [[UInt8]: [Secret]]] = [:]
  /// The secrets in the order of the key logs.
  private var all: [AgreedSecret.Procedure: [AgreedSecret]] = [:]
  /// The number of secrets.
  package private(set) var count = 0

  /// The most secrets; a day of test runs has fewer.
  private static let maximumCount = 65_536
  /// The most secrets of one key. Each of them is tried.
  package static let maximumCountOfKey = 8

  /// The most lines that are named as bad.
  package static let maximumProblemCount = 16

  /// Creates an empty list.
  package init() {}

  /// A line that is no secret.
  package struct Problem: Error, Sendable, Equatable {
    /// The number of the line, from 1.
    package var line: Int
    /// The reason.
    package var reason: String
  }

  /// Adds the lines of a key log. A line that cannot be read is left out.
  ///
  /// - Returns: The first lines that cannot be read, at most ``maximumProblemCount``.
  @discardableResult
  package mutating func add(_ text: [UInt8]) -> [Problem] {
    var problems: [Problem] = []
    func note(_ index: Int, _ reason: String) {
      if problems.count < Self.maximumProblemCount { problems.append(Problem(line: index + 1, reason: reason)) }
    }
    for (index, bytes) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = String(decoding: bytes, as: UTF8.self).split(separator: "\r").first ?? ""
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      guard let secret = AgreedSecret(keyLogLine: line) else {
        note(index, Self.reason(ofBad: line))
        continue
      }
      let known = secrets[secret.procedure]?[secret.phoneKey] ?? []
      guard !known.contains(secret.secret) else { continue }
      guard known.count < Self.maximumCountOfKey else {
        note(index, "more than \(Self.maximumCountOfKey) secrets of one key")
        continue
      }
      guard count < Self.maximumCount else {
        note(index, "more than \(Self.maximumCount) secrets, so it and all further lines are left out")
        return problems
      }
      secrets[secret.procedure, default: [:]][secret.phoneKey, default: []].append(secret.secret)
      all[secret.procedure, default: []].append(secret)
      count += 1
    }
    return problems
  }

  /// Returns the reason why a line is no secret. It repeats neither keys nor secrets.
  private static func reason(ofBad line: Substring) -> String {
    let words = line.split(separator: " ")
    let names = AgreedSecret.Procedure.allCases.map(\.rawValue)
    guard let first = words.first, let procedure = AgreedSecret.Procedure(rawValue: String(first)) else {
      return "its first word is none of \(names.joined(separator: ", "))"
    }
    guard words.count == 3 else {
      let count = "\(words.count) word\(words.count == 1 ? "" : "s")"
      return "it has \(count), and \(procedure.rawValue) has a key and a secret behind it"
    }
    guard let key = Hex.bytes(words[1]), !key.isEmpty else { return "the key is not in pairs of hexadecimal digits" }
    guard let secret = Hex.bytes(words[2]) else { return "the secret is not in pairs of hexadecimal digits" }
    return "the secret has \(secret.count) bytes, and that of \(procedure.rawValue) has \(procedure.secretByteCount)"
  }

  /// Returns the secrets of a procedure, the newest first.
  func newest(_ procedure: AgreedSecret.Procedure) -> some Sequence<AgreedSecret> {
    (all[procedure] ?? []).reversed()
  }

  /// The cost of the keys that follow from a secret, as the bytes of a trial.
  static let derivationByteCount = 8 << 10

  /// Returns the newest secret of a procedure that is right; nil if none is, or if the budget is used up.
  func find(
    _ procedure: AgreedSecret.Procedure, _ budget: inout SearchBudget, _ isRight: (Secret) -> Bool
  ) -> AgreedSecret? {
    for secret in newest(procedure) {
      guard budget.spend(Self.derivationByteCount) else { return nil }
      if isRight(secret.secret) { return secret }
    }
    return nil
  }

  /// Returns the secret of a procedure by the phone's public key; nil if it is unknown.
  ///
  /// - Parameters:
  ///   - present: The secret that was returned before; nil without one.
  ///   - isRight: Returns whether a secret opens something. It is called only if the key has several secrets.
  /// - Returns: The newest secret that is right, or else the present one, or else the newest one.
  func secret(
    of procedure: AgreedSecret.Procedure, _ phoneKey: [UInt8], present: Secret? = nil, isRight: (Secret) -> Bool
  ) -> Secret? {
    let all = secrets[procedure]?[phoneKey] ?? []
    guard all.count > 1 else { return all.first }
    return all.last(where: isRight) ?? all.last { $0 == present } ?? all.last
  }
}
